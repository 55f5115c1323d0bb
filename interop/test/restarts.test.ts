import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { goDialer, goHost } from './support/clients.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';

/** A host of the Go SDK looks for its router again after up to a minute. */
const hostTimeout = 90_000;
let network: Network;
let host: NetworkIdentity;
let caller: NetworkIdentity;

beforeAll(async () => {
  network = await startNetwork();
  host = await network.addIdentity('host', ['hosts']);
  caller = await network.addIdentity('caller', ['callers']);
});
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(() => network[Symbol.asyncDispose]());

describe.each(['SIGTERM', 'SIGKILL'] as const)('after %s', (signal) => {
  it('a controller that starts again finds its routers, and connections have gone on meanwhile', async () => {
    const service = `service of a controller after ${signal}`;
    const { dialPolicyId } = await network.addService(service);
    await using _server = await goHost(host, service);
    await using dialer = goDialer(caller, { service, keepOpen: true });
    await dialer.event('open');

    await network.controller.stop(signal);
    const stoppedAt = Date.now();
    await dialer.event('flowing', { matches: ({ at }) => at > stoppedAt + 2_000 });
    await network.controller.start();
    const startedAt = Date.now();
    await network.online(network.router(1));
    console.log(`the router is online ${Date.now() - startedAt} ms after the start of the controller`);
    expect(dialer.count('ended')).toBe(0);

    await using second = goDialer(caller, { service, bytes: 1_000_000 });
    expect(await second.event('transferred')).toMatchObject({ bytes: 1_000_000 });
    await network.edge.management.servicePolicies.delete(dialPolicyId);
    const removedAt = Date.now();
    expect((await dialer.event('ended')).at - removedAt).toBeLessThan(500);
  });

  it('a router that starts again gets its hosts back, and connections end', { timeout: 2 * hostTimeout }, async () => {
    const service = `service of a router after ${signal}`;
    await network.addService(service);
    await using _server = await goHost(host, service);
    await using dialer = goDialer(caller, { service, keepOpen: true, redial: true });
    await dialer.event('open');

    const router = network.router(1);
    await router.stop(signal);
    await dialer.event('ended', { timeout: 1_000 });
    router.start();
    await network.online(router);
    const onlineAt = Date.now();
    const { at } = await dialer.event('open', { matches: (event) => event.at > onlineAt, timeout: hostTimeout });
    console.log(`a connection is there again ${Math.round(at - onlineAt)} ms after the router is online`);
  });
});
