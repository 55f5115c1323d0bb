import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { goDialer, goHost } from './support/clients.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';

const service = 'echo';
/** Milliseconds. Routers report lost links every 5 seconds. */
const reportTime = 6_000;
let network: Network;
let host: NetworkIdentity;
let caller: NetworkIdentity;

beforeAll(async () => {
  network = await startNetwork({ routers: 3 });
  await network.separate();
  await network.addService(service);
  host = await network.addIdentity('host', ['hosts']);
  caller = await network.addIdentity('caller', ['callers']);
});
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(() => network[Symbol.asyncDispose]());

/** The ids of the routers that the only circuit passes. */
async function path(): Promise<readonly string[]> {
  const { data } = await network.edge.management.circuits.list();
  return data[0]?.path.nodes.map(({ id }) => id) ?? [];
}

async function linksBetween(one: string, other: string) {
  const { data } = await network.edge.management.links.list();
  return data.filter(({ sourceRouter, destRouter }) =>
    [one, other].every((id) => [sourceRouter.id, destRouter.id].includes(id)),
  );
}

it('data goes on over another router when a link or a router of its path is lost', async () => {
  const { links } = network.edge.management;
  const [first, second, third] = [network.router(1), network.router(2), network.router(3)];
  const areLinked = async () => {
    const pairs = [
      [first, second],
      [first, third],
      [second, third],
    ] as const;
    const found = await Promise.all(pairs.map(([one, other]) => linksBetween(one.id, other.id)));
    return found.every((between) => between.length > 0);
  };
  await network.until('every two routers have a link', areLinked);
  await using _server = await goHost(host, service);
  await using dialer = goDialer(caller, { service, keepOpen: true });
  await dialer.event('open');
  expect(await path()).toEqual([second.id, first.id]);

  for (const { id } of await linksBetween(first.id, second.id)) await links.delete(id);
  await network.until('the circuit passes the third router', async () => (await path()).includes(third.id), 1_000);
  await network.until('the link is there again', async () => (await linksBetween(first.id, second.id)).length > 0);

  await third.stop('SIGKILL');
  const killedAt = Date.now();
  await network.until('the circuit is direct again', async () => (await path()).length === 2, reportTime);
  console.log(`the circuit has another path ${Date.now() - killedAt} ms after its router was killed`);
  const now = Date.now();
  await dialer.event('flowing', { matches: ({ at }) => at > now + 500 });
  expect(dialer.count('ended'), String(dialer)).toBe(0);
});
