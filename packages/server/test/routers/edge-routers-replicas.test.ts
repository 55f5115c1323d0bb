import type { RouterDouble } from '@edge-controller/router-double';
import { ApiSessionAddedSchema, ApiSessionRemovedSchema, decode } from '@edge-controller/router-messages';
import type { EdgeConnection, ServiceBinding } from '@edge-controller/sdk/node';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import type { Replica, RouterReplicas } from '../support/router-replicas.ts';
import { addClient, startRouterReplicas } from '../support/router-replicas.ts';
import { RawRouter } from './edge-routers/raw-router.ts';

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

  it('lose circuits of a router that may not be used any more, whichever controller it is connected to', async () => {
    const { edgeRouterPolicies } = one!.edge.management;
    const [everywhere] = (await edgeRouterPolicies.list()).data;
    const before = ofOne!.state.apiSessions;
    await edgeRouterPolicies.patch(everywhere!.id, { identityRoles: [] });
    for (const side of ['host', 'caller'] as const) {
      const host = await addClient(two!, `${side}: host`);
      const caller = await addClient(one!, `${side}: caller`);
      const allow = (at: RouterDouble, { id }: { id: string }) =>
        edgeRouterPolicies.create({
          ...{ name: `${id} at ${at.id}`, semantic: 'AnyOf', identityRoles: [`@${id}`] },
          edgeRouterRoles: [`@${at.id}`],
        });
      const policies = { host: await allow(ofTwo!, host), caller: await allow(ofOne!, caller) };
      await using binding = await host.client.bind('echo');
      const serving = echo(binding).catch(() => undefined);
      const connection = await caller.client.dial('echo');
      expect(await said(connection, 'hello')).toBe('hello');
      const ends = closed(connection);
      // The other controller has the circuit, or the terminator.
      const at = side === 'host' ? one! : two!;
      await at.edge.management.edgeRouterPolicies.delete(policies[side].id);
      expect(await ends).toBeLessThan(1_500);
      await expect(caller.client.dial('echo', { timeout: 1_000 })).rejects.toThrow();
      const { terminators } = two!.edge.management;
      const left = async () => (await terminators.list()).data.length;
      if (side === 'host') await vi.waitFor(async () => expect(await left()).toBe(0));
      await binding.close();
      await serving;
      for (const { client } of [host, caller]) await client.signOut();
      await edgeRouterPolicies.delete(policies[side === 'host' ? 'caller' : 'host'].id);
    }
    await edgeRouterPolicies.patch(everywhere!.id, { identityRoles: ['#all'] });
    await vi.waitFor(() => expect([ofOne!.state.apiSessions, ofTwo!.state.apiSessions]).toEqual([before, before]));
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

  it('learn and forget them with what lets them use a router, whichever controller is informed', async () => {
    const before = ofOne!.state.apiSessions;
    const know = (count: number) =>
      vi.waitFor(() => expect([ofOne!.state.apiSessions, ofTwo!.state.apiSessions]).toEqual([count, count]));
    const { id, client } = await addClient(one!, 'judged');
    await know(before + 1);
    await two!.edge.management.identities.patch(id, { permissions: ['service.read'] });
    await know(before);
    await one!.edge.management.identities.patch(id, { permissions: [] });
    await know(before + 1);
    const { data } = await two!.edge.management.edgeRouterPolicies.list();
    const { id: policyId = '' } = data[0] ?? {};
    await two!.edge.management.edgeRouterPolicies.patch(policyId, { identityRoles: ['#others'] });
    await know(0);
    await one!.edge.management.edgeRouterPolicies.patch(policyId, { identityRoles: ['#all'] });
    await know(before + 1);
    await client.signOut();
    await know(before);
    client.dispose();
  });
});

describe('what is lost between controllers', () => {
  it('is read again when messages are missing', async () => {
    const before = ofOne!.state.apiSessions + 1;
    const { client } = await addClient(two!, 'lost');
    await vi.waitFor(() => expect([ofOne!.state.apiSessions, ofTwo!.state.apiSessions]).toEqual([before, before]));
    const redis = await createRedisClient({ url: two!.server.options.redisUrl ?? '' }).connect();
    // As if another controller had published something that nobody received.
    await redis.incr('edge:controllers:count');
    const readAgain = Promise.all([ofOne!, ofTwo!].map((router) => router.next(controlTypes.apiSessionAdded)));
    const frames = await readAgain;
    expect(frames.map(({ body }) => decode(ApiSessionAddedSchema, body))).toMatchObject([
      { isFullState: true },
      { isFullState: true },
    ]);
    expect([ofOne!.state.apiSessions, ofTwo!.state.apiSessions]).toEqual([before, before]);
    await redis.close();
    client.dispose();
  });

  it('an API session that ends while a controller receives nothing ends at its routers, too', async () => {
    const before = ofOne!.state.apiSessions + 1;
    const { client } = await addClient(two!, 'unheard');
    await vi.waitFor(() => expect([ofOne!.state.apiSessions, ofTwo!.state.apiSessions]).toEqual([before, before]));
    const redis = await createRedisClient({ url: one!.server.options.redisUrl ?? '' }).connect();
    // Both connections for messages end, and are made again.
    await redis.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
    await client.signOut();
    await vi.waitFor(() =>
      expect([ofOne!.state.apiSessions, ofTwo!.state.apiSessions]).toEqual([before - 1, before - 1]),
    );
    await redis.close();
    client.dispose();
  });

  it('a router of a controller that ends connects to another one, and its host can be dialed', async () => {
    const router = await scene.startRouter([one!, two!], 'of both');
    const { edgeRouters } = two!.edge.management;
    const host = await addClient(two!, 'host of both');
    await using binding = await host.client.bind('echo');
    const serving = echo(binding);
    const isAt = async () => (await edgeRouters.get(router.id)).isOnline;
    expect(await isAt()).toBe(true);
    const raw = await RawRouter.enroll({ admin: two!.edge, routersAddress: `tls:${two!.routersAddress}` });
    await one!.server.controller.close(100);
    await vi.waitFor(() => expect(router.isOnline).toBe(true));
    await vi.waitFor(async () => expect(await isAt()).toBe(true));
    const caller = await addClient(two!, 'caller of both');
    const connection = await caller.client.dial('echo');
    expect(await said(connection, 'still here')).toBe('still here');
    connection.destroy();
    await binding.close();
    await serving;
    // The host began before the loss: its circuits may be those of the lost controller.
    const closed = raw.peer.ofType(controlTypes.apiSessionRemoved);
    const { sessions } = two!.edge.management;
    for (const { id } of (await sessions.list({ filter: `identity = "${host.id}"` })).data) await sessions.delete(id);
    expect(decode(ApiSessionRemovedSchema, (await closed).body).tokens).toHaveLength(1);
    raw.close();
    for (const { client } of [host, caller]) client.dispose();
  });
});
