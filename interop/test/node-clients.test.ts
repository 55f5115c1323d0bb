import { once } from 'node:events';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, filter } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { goDialer, goHost } from './support/clients.ts';
import { adminCredentials } from './support/controller-process.ts';
import { expectEcho } from './support/expect-echo.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { echo, nodeClient, transfer } from './support/node-clients.ts';

const size = 100_000_000;
let network: Network;
let host: NetworkIdentity;
let caller: NetworkIdentity;
let hosting: NodeEdgeClient;
let calling: NodeEdgeClient;

beforeAll(async () => {
  network = await startNetwork({ routers: 2 });
  host = await network.addIdentity('host', ['hosts']);
  caller = await network.addIdentity('caller', ['callers']);
  await network.separate();
  hosting = await nodeClient(host, network.controller.url);
  calling = await nodeClient(caller, network.controller.url);
});
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(async () => {
  hosting.dispose();
  calling.dispose();
  await network[Symbol.asyncDispose]();
});

describe.each([
  { encrypted: true, service: 'sealed' },
  { encrypted: false, service: 'plain' },
])('a service with encryption: $encrypted, over two routers', ({ encrypted, service }) => {
  beforeAll(() => network.addService(service, { encrypted }));

  it('carries 100 MB from Node to Go and back', async () => {
    await using _server = await goHost(host, service);
    const speed = await transfer(await calling.dial(service), size);
    console.log(`Node to Go and back, encrypted ${encrypted}: ${speed.toFixed(0)} MB/s`);
  });

  it('carries 100 MB from Go to Node and back', async () => {
    await using binding = await hosting.bind(service);
    void echo(binding);
    await using dialer = goDialer(caller, { service, bytes: size });
    await expectEcho(dialer, size);
    const { milliseconds } = await dialer.event('transferred');
    console.log(`Go to Node and back, encrypted ${encrypted}: ${(size / 1e3 / Number(milliseconds)).toFixed(0)} MB/s`);
  });

  it('carries 100 MB from Node to Node and back', async () => {
    await using binding = await hosting.bind(service);
    void echo(binding);
    const speed = await transfer(await calling.dial(service), size);
    console.log(`Node to Node and back, encrypted ${encrypted}: ${speed.toFixed(0)} MB/s`);
  });

  it('carries 20 connections at once, of Node and of Go', async () => {
    await using binding = await hosting.bind(service);
    void echo(binding);
    await using dialer = goDialer(caller, { service, bytes: 1_000_000, connections: 20 });
    await Promise.all(Array.from({ length: 20 }, async () => transfer(await calling.dial(service), 1_000_000)));
    await expectEcho(dialer, 1_000_000, 20);
  });
});

it('a client that has signed in with a password gets a certificate for its session', async () => {
  const { id } = await network.addService('of a password');
  const { identities, servicePolicies, edgeRouterPolicies } = network.edge.management;
  await using _server = await goHost(host, 'of a password');
  const edge = createEdgeClient(network.controller.url, { caFile: network.controller.caFile });
  await edge.signIn.password(adminCredentials);
  const { identityId } = await edge.client.currentApiSession.get();
  await servicePolicies.create({
    ...{ name: 'admin dials', type: 'Dial', semantic: 'AnyOf' },
    ...{ identityRoles: [`@${identityId}`], serviceRoles: [`@${id}`] },
  });
  await edgeRouterPolicies.create({
    ...{ name: 'admin', semantic: 'AnyOf' },
    ...{ identityRoles: [`@${identityId}`], edgeRouterRoles: ['#all'] },
  });
  expect((await identities.get(identityId)).name).toBe('Default Admin');
  await transfer(await edge.dial('of a password'), 100_000);
  edge.dispose();
});

it('a session that is removed ends its connection within half a second, and the next dial gets another one', async () => {
  const { id } = await network.addService('removals');
  await using binding = await hosting.bind('removals');
  void echo(binding);
  const connection = await calling.dial('removals');
  const failed = once(connection, 'error');
  const [session] = (await network.edge.management.sessions.list({ filter: filter`type = "Dial" and service = ${id}` }))
    .data;
  await network.edge.management.sessions.delete(session?.id ?? '');
  const removedAt = performance.now();
  const [error] = await failed;
  expect(performance.now() - removedAt).toBeLessThan(500);
  expect(error).toMatchObject({ name: 'EdgeConnectionError', code: 'CLOSED' });
  await transfer(await calling.dial('removals'), 10_000);
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a bind is there again after %s of the router and of the controller',
  async (signal) => {
    const service = `hosted over a ${signal}`;
    await network.addService(service);
    await using binding = await hosting.bind(service);
    void echo(binding);
    const router = network.router(1);
    await router.stop(signal);
    router.start();
    await network.online(router);
    const onlineAt = performance.now();
    await network.until('it is bound', async () => binding.routers.length > 0, 10_000);
    console.log(`bound again ${Math.round(performance.now() - onlineAt)} ms after the router was online`);
    await transfer(await calling.dial(service), 10_000);

    await network.controller.stop(signal);
    await network.controller.start();
    await network.online(router);
    await network.online(network.router(2));
    await transfer(await calling.dial(service), 10_000);
  },
);
