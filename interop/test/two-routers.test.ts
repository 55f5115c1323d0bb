import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { goDialer, goHost } from './support/clients.ts';
import { expectEcho } from './support/expect-echo.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';

let network: Network;
let host: NetworkIdentity;
let caller: NetworkIdentity;

beforeAll(async () => {
  network = await startNetwork({ routers: 2 });
  await network.separate();
  host = await network.addIdentity('host', ['hosts']);
  caller = await network.addIdentity('caller', ['callers']);
});
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(() => network[Symbol.asyncDispose]());

describe.each([
  { encrypted: true, service: 'sealed' },
  { encrypted: false, service: 'plain' },
])('a service behind another router, with encryption: $encrypted', ({ encrypted, service }) => {
  beforeAll(() => network.addService(service, { encrypted }));

  it('carries 100 MB over the link and back', async () => {
    await using _server = await goHost(host, service);
    await using dialer = goDialer(caller, { service, bytes: 100_000_000 });
    await expectEcho(dialer, 100_000_000);
  });
});

it('loses its connections with a router of their path, and has new ones when the router is back', async () => {
  const service = 'service of a lost router';
  await network.addService(service);
  await using server = await goHost(host, service);
  await using dialer = goDialer(caller, { service, keepOpen: true, redial: true });
  await dialer.event('open');

  const lost = network.router(2);
  const killedAt = Date.now();
  await lost.stop('SIGKILL');
  expect((await dialer.event('ended')).at - killedAt).toBeLessThan(1_000);
  await server.event('closed');
  lost.start();
  await network.online(lost);
  const restartedAt = Date.now();
  await dialer.event('open', { matches: ({ at }) => at > restartedAt, timeout: 60_000 });
});
