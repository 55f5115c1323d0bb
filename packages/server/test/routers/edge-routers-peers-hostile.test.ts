import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RouterDouble } from '@edge-controller/router-double';
import { encode, UnrouteSchema } from '@edge-controller/router-messages';
import type { EdgeConnection, ServiceBinding } from '@edge-controller/sdk/node';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import type { PrivateRedis } from '../support/redis.ts';
import { startPrivateRedis } from '../support/redis.ts';
import type { Replica, RouterReplicas } from '../support/router-replicas.ts';
import { addClient, startRouterReplicas } from '../support/router-replicas.ts';

let redis: PrivateRedis;
let scene: RouterReplicas;
let [one, two]: Replica[] = [];
let [ofOne, ofTwo]: RouterDouble[] = [];
beforeAll(async () => {
  // One of its own: other tests close the connections of all who listen.
  redis = await startPrivateRedis();
  scene = await startRouterReplicas(redis.url);
  [one, two] = scene.replicas;
  [ofOne, ofTwo] = await Promise.all([scene.startRouter([one!], 'of one'), scene.startRouter([two!], 'of two')]);
  const { services, servicePolicies } = one!.edge.management;
  await services.create({ name: 'echo', encryptionRequired: true });
  const all = { serviceRoles: ['#all'], identityRoles: ['#all'] };
  await servicePolicies.create({ ...all, semantic: 'AnyOf', name: 'dial', type: 'Dial' });
  await servicePolicies.create({ ...all, semantic: 'AnyOf', name: 'bind', type: 'Bind' });
  await linked();
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const linked = () => vi.waitFor(() => expect([ofOne!.state.links.length, ofTwo!.state.links.length]).toEqual([1, 1]));

async function echo(binding: ServiceBinding): Promise<void> {
  for await (const connection of binding) connection.on('error', () => undefined).pipe(connection);
}

async function said(connection: EdgeConnection, text: string): Promise<string> {
  connection.write(text);
  return await new Promise((resolve) => connection.once('data', (chunk: Buffer) => resolve(String(chunk))));
}

/** Somebody who can read and write everything in Redis, and has no key. */
class Attacker implements AsyncDisposable {
  readonly #client: ReturnType<typeof createRedisClient>;
  readonly #subscriber: ReturnType<typeof createRedisClient>;
  readonly #database: string;
  readonly recorded: { readonly channel: string; readonly text: string }[] = [];

  constructor(url: string) {
    this.#client = createRedisClient({ url });
    this.#subscriber = createRedisClient({ url });
    this.#database = new URL(url).pathname.slice(1) || '0';
  }

  async start(): Promise<this> {
    await Promise.all([this.#client.connect(), this.#subscriber.connect()]);
    await this.#subscriber.pSubscribe('edge:*', (text, channel) => this.recorded.push({ channel, text }));
    return this;
  }

  /** Sends to all, and to each controller alone, sealed by nobody. */
  async say(note: object | string): Promise<void> {
    const text = typeof note === 'string' ? note : JSON.stringify(note);
    for (const kind of ['peer', 'controller']) {
      const count = Number(await this.#client.get(`edge:${kind}s:count`));
      await this.#client.publish(`edge:${kind}s:${this.#database}`, `${count + 1} ${text}`);
      await this.#client.publish(`edge:${kind}s:${this.#database}`, text);
      for (const id of await this.#ids(kind)) await this.#client.publish(`edge:${kind}:${id}`, text);
    }
  }

  /** Shows a state as another controller, and in place of the real ones. */
  async show(state: object | string): Promise<void> {
    const text = typeof state === 'string' ? state : JSON.stringify(state);
    for (const kind of ['peer', 'controller']) {
      await this.#client.zAdd(`edge:${kind}s`, { score: Date.now(), value: 'made-up000' });
      for (const id of await this.#ids(kind)) await this.#client.set(`edge:${kind}:${id}`, text);
    }
  }

  /** Says again, on every channel, what was said. */
  async replay(): Promise<void> {
    const all = [...this.recorded];
    const channels = new Set(all.map(({ channel }) => channel));
    for (const { text } of all) for (const channel of channels) await this.#client.publish(channel, text);
  }

  #ids(kind: string): Promise<readonly string[]> {
    return this.#client.zRange(`edge:${kind}s`, 0, -1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#client.close(), this.#subscriber.close()]);
  }
}

describe('somebody who can write to Redis', () => {
  let attacker: Attacker;
  let connection: EdgeConnection;
  let [host, caller]: Awaited<ReturnType<typeof addClient>>[] = [];
  let binding: ServiceBinding;
  const ended = vi.fn<() => void>();

  beforeEach(async () => {
    attacker = await new Attacker(one!.server.options.redisUrl ?? '').start();
    [host, caller] = [await addClient(two!, `host ${Math.random()}`), await addClient(one!, `caller ${Math.random()}`)];
    binding = await host.client.bind('echo');
    void echo(binding);
    connection = await caller.client.dial('echo');
    ended.mockClear();
    connection.on('error', () => undefined).once('close', ended);
  });

  afterEach(async () => {
    await attacker[Symbol.asyncDispose]();
    connection.destroy();
    await binding.close();
    for (const { client } of [host!, caller!]) client.dispose();
  });

  /** Nobody has ended, no router or controller was named, and what was open is open. */
  async function nothingHasHappened(): Promise<void> {
    // Each controller looks at what the others show, once a second.
    await delay(1_500);
    for (const { edge } of [one!, two!]) {
      const { data } = await edge.management.edgeRouters.list();
      expect(data.map(({ name, isOnline }) => [name, isOnline]).sort()).toEqual([
        ['of one', true],
        ['of two', true],
      ]);
      expect((await edge.management.links.list()).data).toHaveLength(1);
    }
    expect(await said(connection, 'still here')).toBe('still here');
    expect(ended).not.toHaveBeenCalled();
    const another = await caller!.client.dial('echo');
    expect(await said(another, 'hello')).toBe('hello');
    another.destroy();
  }

  const router = (id: string, linkListeners: string) => ({
    ...{ id, isOnline: true, hostname: 'evil.example', supportedProtocols: {}, syncStatus: 'SYNC_DONE' },
    versionInfo: { version: 'v1', revision: '', buildDate: '', os: '', arch: '' },
    ...{ interfaces: null, linkListeners, managesLinks: true, cost: 0, noTraversal: false },
  });

  it('ends nobody with garbage', async () => {
    for (const text of ['', '{', 'null', '[]', '{"topic":"routers","note":null}', '{"topic":"sessions","note":{}}']) {
      await attacker.say(text);
      await attacker.show(text);
    }
    await attacker.show({ routers: 5, links: 'a', keys: null });
    await attacker.show({ routers: [{ id: ofOne!.id, linkListeners: '////' }] });
    await attacker.show({ routers: [router('made-up', '////')] });
    await nothingHasHappened();
  });

  it('names no controller, router, link or key', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const link = { id: 'made-up', destId: ofTwo!.id, protocol: 'tls', iteration: 1 };
    await attacker.show({
      routers: [router('made-up', '')],
      links: [['made-up', link]],
      keys: [{ kid: 'evil', spki }],
    });
    await attacker.say({ topic: 'routers', note: { kind: 'shown', by: 'made-up000' } });
    await nothingHasHappened();
    for (const { state } of [ofOne!, ofTwo!]) expect(state.keys).not.toContain('evil');
  });

  it('takes nothing away with a message of its own', async () => {
    const apiSessionId = (await caller!.client.client.currentApiSession.get()).id;
    const [circuit] = (await one!.edge.management.circuits.list()).data;
    const [link] = (await one!.edge.management.links.list()).data;
    const sessions = (await one!.edge.management.sessions.list()).data.map(({ id }) => id);
    const circuitId = circuit?.id ?? '';
    const body = Buffer.from(encode(UnrouteSchema, { circuitId, now: true })).toString('base64');
    for (const note of [
      { kind: 'ended', ids: [apiSessionId] },
      { kind: 'sessionsEnded', ids: sessions },
    ]) {
      await attacker.say({ topic: 'sessions', note });
    }
    for (const routerId of [ofOne!.id, ofTwo!.id]) {
      await attacker.say({ topic: 'routers', note: { kind: 'deleted', routerId } });
      await attacker.say({ topic: 'routers', note: { kind: 'ended', routerId, circuitId } });
      await attacker.say({ topic: 'routers', note: { kind: 'send', routerId, type: controlTypes.unroute, body } });
    }
    await attacker.say({ topic: 'routers', note: { kind: 'linkRemoved', id: link?.id, iteration: 1 } });
    await nothingHasHappened();
  });

  it('says nothing again that was said before, also not on another channel', async () => {
    const [link] = (await one!.edge.management.links.list()).data;
    await one!.edge.management.links.delete(link?.id ?? '');
    await linked();
    await vi.waitFor(async () => expect((await one!.edge.management.links.list()).data).toHaveLength(1));
    connection.destroy();
    connection = await caller!.client.dial('echo');
    connection.on('error', () => undefined).once('close', ended);
    ended.mockClear();
    expect(attacker.recorded.map(({ text }) => text).join()).toContain('linkRemoved');
    await attacker.replay();
    await nothingHasHappened();
  });

  it('does not keep a right that is taken away meanwhile', async () => {
    await attacker.say('{');
    await attacker.show({ routers: 5 });
    await two!.edge.management.identities.disable(caller!.id, { durationMinutes: 0 });
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
    await attacker.replay();
    await expect(caller!.client.dial('echo', { timeout: 3_000 })).rejects.toThrow();
  });
});
