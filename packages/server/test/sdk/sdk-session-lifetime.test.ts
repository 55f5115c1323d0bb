import { memoryStorage } from '@edge-controller/sdk';
import type { NodeEdgeClient, NodeEdgeClientOptions } from '@edge-controller/sdk/node';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController } from '../support/controller.ts';

const clientOf = (server: TestController, options: NodeEdgeClientOptions = {}) =>
  createEdgeClient(server.url, { caFile: server.caFile, ...options });

it('keeps a session alive that nobody uses, and lets it end without keepAlive', async () => {
  await using server = await startController({ sessionTimeout: 2_000 });
  await using kept = clientOf(server, { keepAlive: true });
  await using left = clientOf(server);
  await Promise.all([kept.signIn.password(adminCredentials), left.signIn.password(adminCredentials)]);
  const extensions: Date[] = [];
  kept.on('extended', ({ expiresAt }) => expiresAt && extensions.push(expiresAt));
  await left.waitFor('expired', { timeout: 20_000 });
  await expect.poll(() => extensions.length).toBeGreaterThan(1);
  expect([kept.state, left.session]).toEqual(['active', null]);
  expect((await kept.client.currentApiSession.get()).id).toBe(kept.session?.id);
});

it('signs in again once for 8 clients with one storage after a revocation, and serves all calls', async () => {
  await using server = await startController();
  const storage = memoryStorage();
  let asked = 0;
  const clients: NodeEdgeClient[] = Array.from({ length: 8 }, (_one, at) =>
    clientOf(server, {
      storage,
      reauthenticate: ({ signal }) => {
        asked += 1;
        return (clients[at] as NodeEdgeClient).signIn.password(adminCredentials, { signal });
      },
    }),
  );
  const first = clients[0] as NodeEdgeClient;
  await first.signIn.password(adminCredentials);
  await Promise.all(clients.map((edge) => edge.waitFor('active')));
  const admin = clientOf(server);
  await admin.signIn.password(adminCredentials);
  await admin.management.apiSessions.delete(first.session?.id ?? '');
  const calls = clients.flatMap((edge, at) => [
    edge.management.identities.list(),
    edge.management.identities.create({ name: `device ${at}`, type: 'Device', isAdmin: false }),
  ]);
  expect(await Promise.all(calls)).toHaveLength(16);
  expect(asked).toBe(1);
  expect(new Set(clients.map(({ session }) => session?.id)).size).toBe(1);
  const { data } = await admin.management.apiSessions.list();
  expect(data).toHaveLength(2);
  for (const edge of [...clients, admin]) edge.dispose();
});

it('survives an outage of the controller, and a sign-out during it is unconfirmed', async () => {
  const server = await startController();
  await using edge = clientOf(server, { retries: 0 });
  await edge.signIn.password(adminCredentials);
  const { id } = edge.session ?? {};
  await server[Symbol.asyncDispose]();
  await expect(edge.client.currentApiSession.get()).rejects.toMatchObject({ name: 'EdgeNetworkError' });
  expect([edge.state, edge.session?.id]).toEqual(['stale', id]);
  expect(await edge.signOut()).toMatchObject({ confirmed: false, error: { name: 'EdgeNetworkError' } });
  expect(edge.state).toBe('signed-out');
});
