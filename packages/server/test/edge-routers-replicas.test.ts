import type { EdgeConnection, ServiceBinding } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RouterDouble } from '../src/router-double/index.ts';
import type { Replica, RouterReplicas } from './support/router-replicas.ts';
import { addClient, startRouterReplicas } from './support/router-replicas.ts';

let scene: RouterReplicas;
let [one, two]: Replica[] = [];
/** Each is connected to another controller. */
let [ofOne, ofTwo]: RouterDouble[] = [];
beforeAll(async () => {
  scene = await startRouterReplicas();
  [one, two] = scene.replicas;
  [ofOne, ofTwo] = await Promise.all([scene.startRouter([one!], 'of one'), scene.startRouter([two!], 'of two')]);
  const { services, servicePolicies } = one!.edge.management;
  await services.create({ name: 'echo', encryptionRequired: true });
  const all = { serviceRoles: ['#all'], identityRoles: ['#all'] };
  await servicePolicies.create({ ...all, semantic: 'AnyOf', name: 'dial', type: 'Dial' });
  await servicePolicies.create({ ...all, semantic: 'AnyOf', name: 'bind', type: 'Bind' });
  await vi.waitFor(() => expect([ofOne!.state.links.length, ofTwo!.state.links.length]).toEqual([1, 1]));
});
afterAll(() => scene[Symbol.asyncDispose]());

async function echo(binding: ServiceBinding): Promise<void> {
  for await (const connection of binding) connection.on('error', () => undefined).pipe(connection);
}

async function said(connection: EdgeConnection, text: string): Promise<string> {
  connection.write(text);
  return await new Promise((resolve) => connection.once('data', (chunk: Buffer) => resolve(String(chunk))));
}

const closed = (connection: EdgeConnection) =>
  new Promise<number>((resolve) => {
    const startedAt = performance.now();
    connection.on('error', () => undefined).once('close', () => resolve(performance.now() - startedAt));
  });

describe('routers of two controllers', () => {
  it('are shown by both, with their link', async () => {
    for (const { edge } of [one!, two!]) {
      const { data } = await edge.management.edgeRouters.list();
      expect(data.map(({ isOnline, hostname }) => [isOnline, hostname])).toEqual([
        [true, '127.0.0.1'],
        [true, '127.0.0.1'],
      ]);
      const links = await edge.management.links.list();
      expect(links.data).toHaveLength(1);
    }
  });

  it('carry circuits between them, and lose them when a right is taken away at either controller', async () => {
    const host = await addClient(two!, 'host');
    const caller = await addClient(one!, 'caller');
    await using binding = await host.client.bind('echo');
    const serving = echo(binding);
    const connection = await caller.client.dial('echo');
    expect(await said(connection, 'hello')).toBe('hello');
    const ends = closed(connection);
    await two!.edge.management.identities.disable(caller.id, { durationMinutes: 0 });
    expect(await ends).toBeLessThan(1_500);
    await expect(caller.client.dial('echo', { timeout: 3_000 })).rejects.toThrow();
    await binding.close();
    await serving;
    for (const { client } of [host, caller]) client.dispose();
  });

  it('know API sessions and their ends, whichever controller has them', async () => {
    const before = ofOne!.state.apiSessions;
    expect(ofTwo!.state.apiSessions).toBe(before);
    const { client } = await addClient(two!, 'guest');
    await vi.waitFor(() =>
      expect([ofOne!.state.apiSessions, ofTwo!.state.apiSessions]).toEqual([before + 1, before + 1]),
    );
    await client.signOut();
    await vi.waitFor(() => expect([ofOne!.state.apiSessions, ofTwo!.state.apiSessions]).toEqual([before, before]));
    client.dispose();
  });
});
