import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { goHost } from './support/clients.ts';
import { adminCredentials } from './support/controller-process.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient, nodeHost, transfer } from './support/node-clients.ts';

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

it('a client that has signed in with a password gets a certificate for its session', async () => {
  const { id } = await network.addService('of a password');
  const { authenticators, identities, servicePolicies, edgeRouterPolicies } = network.edge.management;
  await using _server = await goHost(host, 'of a password');
  const user = await identities.create({ name: 'Ada', type: 'User', isAdmin: false });
  const credentials = { username: 'ada.lovelace', password: 'a password of somebody' };
  await authenticators.create({ method: 'updb', identityId: user.id, ...credentials });
  await using edge = createEdgeClient(network.controller.url, { caFile: network.controller.caFile });
  await edge.signIn.password(credentials);
  await using admin = createEdgeClient(network.controller.url, { caFile: network.controller.caFile });
  await admin.signIn.password(adminCredentials);
  const { identityId } = await admin.client.currentApiSession.get();
  const identityRoles = [`@${identityId}`, `@${user.id}`];
  await servicePolicies.create({
    ...{ name: 'of a password', type: 'Dial', semantic: 'AnyOf' },
    ...{ identityRoles, serviceRoles: [`@${id}`] },
  });
  await edgeRouterPolicies.create({
    ...{ name: 'of a password', semantic: 'AnyOf' },
    ...{ identityRoles, edgeRouterRoles: ['#all'] },
  });
  await transfer(await edge.dial('of a password'), 100_000);
  // No router has the token of an administrator.
  await expect(admin.dial('of a password')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a bind is there again after %s of the router and of the controller',
  async (signal) => {
    const service = `hosted over a ${signal}`;
    await network.addService(service);
    await using binding = await nodeHost(hosting, service);
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
