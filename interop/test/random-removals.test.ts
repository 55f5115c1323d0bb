import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { Member } from './support/crowd.ts';
import type { EdgeRouter } from './support/edge-router.ts';
import type { Network } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient } from './support/node-clients.ts';

/** A long run: `EDGE_INTEROP_REMOVALS=1000 npm run interop -- random-removals`. */
const removals = Number(process.env.EDGE_INTEROP_REMOVALS ?? 40);
const members = 20;
/** Milliseconds from the response to a removal to the end of the last connection. */
const limit = 500;
const reconnectTime = 30_000;
const perRemoval = 3_000;

interface Removal {
  readonly what: string;
  /** The client may get a new session and connect again. */
  readonly mayReturn?: boolean;
  remove(member: Member): Promise<unknown>;
  restore(member: Member): Promise<unknown>;
}

let network: Network;
const crowd: Member[] = [];

beforeAll(async () => {
  network = await startNetwork({ routers: 2 });
  const { edgeRouterPolicies, postureChecks } = network.edge.management;
  const [all] = (await edgeRouterPolicies.list({ filter: 'name = "all"' })).data;
  if (all) await edgeRouterPolicies.delete(all.id);
  for (const [attribute, roles] of [
    ['hosts', ['#all']],
    ['router-1', ['#router-1']],
    ['router-2', ['#router-2']],
  ] as const) {
    const names = { name: attribute, identityRoles: [`#${attribute}`], edgeRouterRoles: [...roles] };
    await edgeRouterPolicies.create({ ...names, semantic: 'AnyOf' });
  }
  await postureChecks.create({
    ...{ name: 'a system that nobody has', typeId: 'OS', roleAttributes: ['foreign'] },
    operatingSystems: [{ type: 'Android', versions: ['1.0.0'] }],
  });
  const host = await nodeClient(await network.addIdentity('host', ['hosts']), network.controller.url);
  for (let number = 0; number < members; number += 1) {
    const member = new Member(network, host, { name: `member ${number}`, routerRole: `router-${1 + (number % 2)}` });
    crowd.push(member);
    await member.addService();
    await member.addIdentity();
    await member.connect(reconnectTime);
  }
}, 300_000);
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(() => network[Symbol.asyncDispose]());

const nothing = async () => undefined;

function kinds(): readonly Removal[] {
  const { apiSessions, identities, servicePolicies, services, sessions } = network.edge.management;
  const filter = ({ identity }: Member) => ({ filter: `identity = "${identity.id}" limit none` });
  return [
    {
      ...{ what: 'session', mayReturn: true, restore: nothing },
      remove: async (member) => {
        for (const { id } of (await sessions.list(filter(member))).data) await sessions.delete(id);
      },
    },
    {
      ...{ what: 'API session', mayReturn: true, restore: nothing },
      remove: async (member) => {
        for (const { id } of (await apiSessions.list(filter(member))).data) await apiSessions.delete(id);
      },
    },
    {
      what: 'identity',
      remove: ({ identity }) => identities.delete(identity.id),
      restore: (member) => member.addIdentity(),
    },
    {
      what: 'disabled identity',
      remove: ({ identity }) => identities.disable(identity.id, { durationMinutes: 0 }),
      restore: ({ identity }) => identities.enable(identity.id),
    },
    {
      what: 'policy',
      remove: ({ service }) => servicePolicies.patch(service.dialPolicyId, { identityRoles: [] }),
      restore: ({ service, roleAttributes: [attribute] }) =>
        servicePolicies.patch(service.dialPolicyId, { identityRoles: [`#${attribute}`] }),
    },
    {
      what: 'attribute',
      remove: ({ identity, roleAttributes: [, router] }) =>
        identities.patch(identity.id, { roleAttributes: [String(router)] }),
      restore: ({ identity, roleAttributes }) => identities.patch(identity.id, { roleAttributes }),
    },
    {
      what: 'service',
      async remove({ service }) {
        await servicePolicies.delete(service.dialPolicyId);
        await servicePolicies.delete(service.bindPolicyId);
        await services.delete(service.id);
      },
      restore: (member) => member.addService(),
    },
    {
      what: 'posture',
      remove: ({ service }) => servicePolicies.patch(service.dialPolicyId, { postureCheckRoles: ['#foreign'] }),
      restore: ({ service }) => servicePolicies.patch(service.dialPolicyId, { postureCheckRoles: [] }),
    },
  ];
}

const pick = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)]!;

/** Takes a right from one member: that member loses all connections, and nobody else any. */
async function removeFrom(member: Member, { what, mayReturn, remove, restore }: Removal) {
  const others = crowd.filter((other) => other !== member);
  const before = others.map(({ ends }) => ends.length);
  member.ends.length = 0;
  await remove(member);
  const removedAt = performance.now();
  // It tries to come back meanwhile.
  const returned = mayReturn ? null : await member.dial();
  await network.until(
    `${member.name} has lost its connections with its ${what}`,
    async () => member.open.size === 0,
    2_000,
  );
  const time = Math.max(...member.ends) - removedAt;
  expect(time, what).toBeLessThan(limit);
  expect(returned, what).toBeNull();
  expect(
    others.map(({ ends }) => ends.length),
    what,
  ).toEqual(before);
  await restore(member);
  await member.connect(reconnectTime);
  return time;
}

/** Disables a router: whoever had a connection through it loses that one. */
async function disable(router: EdgeRouter) {
  const { circuits, edgeRouters } = network.edge.management;
  const through = (await circuits.list({ filter: 'true limit none' })).data.filter(({ path }) =>
    path.nodes.some(({ id }) => id === router.id),
  );
  const ids = new Set(through.map(({ id }) => id));
  const open = () => crowd.flatMap((member) => [...member.open]);
  const [lost, kept] = [
    open().filter(({ circuitId }) => ids.has(circuitId)),
    open().filter(({ circuitId }) => !ids.has(circuitId)),
  ];
  await edgeRouters.patch(router.id, { disabled: true });
  const removedAt = performance.now();
  const what = `the ${lost.length} connections through ${router.name} have ended`;
  await network.until(what, async () => lost.every(({ closed }) => closed), 5_000);
  const time = performance.now() - removedAt;
  expect(time, 'disabled router').toBeLessThan(limit);
  expect(
    kept.every(({ closed }) => !closed),
    'disabled router',
  ).toBe(true);
  await edgeRouters.patch(router.id, { disabled: false });
  await network.online(router);
  for (const member of crowd) await member.connect(reconnectTime);
}

it(`${removals} random removals end ${members * 10} connections when they should, and no others`, {
  timeout: 60_000 + removals * perRemoval,
}, async () => {
  const all = kinds();
  const times: number[] = [];
  for (let count = 0; count < removals; count += 1) {
    // A router takes five seconds until it connects again.
    if (count % 20 === 19) await disable(pick(network.routers));
    else times.push(await removeFrom(pick(crowd), pick(all)));
  }
  times.sort((one, other) => one - other);
  console.log(
    `the last connection ended ${Math.round(times.at(-1) ?? 0)} ms after a response, at half of them ${Math.round(times[times.length >> 1] ?? 0)} ms`,
  );

  for (const member of crowd) await member.close();
  const { circuits, sessions, terminators } = network.edge.management;
  const left = async () => (await circuits.list()).data.length + (await terminators.list()).data.length === 0;
  await network.until('no circuit and no terminator is left', left);
  const { identities } = network.edge.management;
  for (const { identity } of crowd) await identities.delete(identity.id);
  expect((await sessions.list({ filter: 'type = "Dial"' })).data).toEqual([]);
});
