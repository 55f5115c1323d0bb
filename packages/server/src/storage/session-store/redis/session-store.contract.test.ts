import { expect, inject, it } from 'vitest';
import { startFaultProxy } from '../../../../test/support/fault-proxy.ts';
import { freshRedis, startPrivateRedis } from '../../../../test/support/redis.ts';
import { testTime } from '../../../../test/support/totp.ts';
import type { Query } from '../../../core/filter/page.ts';
import { sessionId } from '../../../core/secrets/ids.ts';
import { createSealer } from '../../../core/secrets/sealer.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { createRedisClient } from '../../database/redis/clients.ts';
import { serviceSessionId } from '../service-session-id.ts';
import { describeSessionStore } from '../session-store.contract.ts';
import type { LiveApiSession, OnExpired, SessionStore } from '../session-store.ts';
import { openRedisSessionStore } from './session-store.ts';

const sealer = createSealer(Buffer.alloc(32, 1));
const options = { timeout: 60_000, clock: systemClock, sealer };

describeSessionStore('Redis', async (timeout) => {
  const url = await freshRedis(inject('redisUrl'));
  const store = await openRedisSessionStore({ url, timeout, clock: systemClock, sealer });
  return { store, [Symbol.asyncDispose]: () => store.close() };
});

const record = {
  ...{
    id: 'c1',
    tokenHash: 'h',
    sealedToken: 's',
    identityId: 'i',
    authenticatorId: 'a',
    credentialVersion: 0,
    ipAddress: '::1',
  },
  ...{ configTypes: [], createdAt: 1, updatedAt: 1, isMfaRequired: false, isMfaComplete: false },
  ...{ caId: null, caVersion: 0, signerId: null, signerVersion: 0, isCertExtendable: false },
  improperClientCertChain: false,
  ...({
    method: 'password',
    mfaId: null,
    mfaPassedAt: null,
    usesRouters: false,
    tokenReadBy: null,
    endsAt: null,
  } as const),
};

it('sees on one replica what another replica removed or bumped', async () => {
  const options = { url: await freshRedis(inject('redisUrl')), timeout: 60_000, clock: systemClock, sealer };
  const [first, second] = [await openRedisSessionStore(options), await openRedisSessionStore(options)];
  await first.create(record);
  const { session, version } = await second.touch('h');
  expect(session?.id).toBe('c1');
  await first.bumpVersion();
  expect((await second.touch('h')).version).not.toBe(version);
  await second.remove(record);
  expect((await first.touch('h')).session).toBeNull();
  await Promise.all([first.close(), second.close()]);
});

it('reads the correct time of the last touch after the timeout setting was changed', async () => {
  const options = { url: await freshRedis(inject('redisUrl')), clock: systemClock, sealer };
  const before = await openRedisSessionStore({ ...options, timeout: 60_000 });
  const { session: created } = await before.create(record);
  const after = await openRedisSessionStore({ ...options, timeout: 5_000 });
  expect(Math.abs(((await after.find('c1'))?.lastActivityAt ?? 0) - created.lastActivityAt)).toBeLessThan(100);
  const { session } = await after.touch('h');
  const found = await before.find('c1');
  expect(Math.abs((found?.lastActivityAt ?? 0) - (session?.lastActivityAt ?? 0))).toBeLessThan(100);
  await Promise.all([before.close(), after.close()]);
});

it('finds an id by exact match, and lists the sessions of one identity in any order', async () => {
  const options = { url: await freshRedis(inject('redisUrl')), timeout: 60_000, clock: systemClock, sealer };
  const store = await openRedisSessionStore(options);
  const ids = ['c1', 'c10', 'c2', 'c3'];
  for (const id of ids) await store.create({ ...record, id, tokenHash: id, identityId: id === 'c3' ? 'other' : 'i' });
  const found = async (query: Query) => {
    const { batches, pagination } = await store.list(query);
    const listed: string[] = [];
    for await (const rows of batches) for (const { id } of rows) listed.push(id);
    return [pagination?.totalCount, ...listed];
  };
  expect(await found({ filter: 'id = "c1"' })).toEqual([1, 'c1']);
  expect(await found({ filter: 'id = "c1" sort by createdAt desc limit none' })).toEqual([1, 'c1']);
  expect(await found({ filter: 'id = "c1"', offset: 1 })).toEqual([1]);
  for (const id of ['c', '', 'c1 c1', 'C1', '*']) expect(await found({ filter: `id = "${id}"` })).toEqual([0]);
  expect(await found({ filter: 'id != "c1"' })).toEqual([3, 'c10', 'c2', 'c3']);
  expect(await found({ filter: 'identity = "i"', sort: 'id desc', limit: 2 })).toEqual([3, 'c2', 'c10']);
  expect(await found({ filter: 'identity = "i" sort by id desc limit none' })).toEqual([3, 'c2', 'c10', 'c1']);
  await store.remove({ ...record, tokenHash: 'c1' });
  expect(await found({ filter: 'id = "c1"' })).toEqual([0]);
  await store.close();
});

it('scans over a separate connection, which opens at the first scan and closes with the store', async () => {
  await using redis = await startPrivateRedis();
  const observer = createRedisClient({ url: redis.url });
  await observer.connect();
  const connections = async () => (await observer.clientList()).length - 1;
  const store = await openRedisSessionStore({ url: redis.url, timeout: 60_000, clock: systemClock, sealer });
  await store.create(record);
  for (const query of [{}, { filter: 'identity = "i"' }, { filter: 'id = "c1"', sort: 'ipAddress' }]) {
    expect((await store.list(query)).pagination?.totalCount).toBe(1);
  }
  expect(await connections()).toBe(1);
  const scans = Array.from({ length: 5 }, () => store.list({ filter: 'not mfaComplete' }));
  for (const { pagination } of await Promise.all(scans)) expect(pagination?.totalCount).toBe(1);
  expect(await connections()).toBe(2);
  await store.close();
  await expect.poll(connections).toBe(0);
  await expect(store.list({ sort: 'ipAddress' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await observer.close();
});

it('fails with STORE_UNAVAILABLE when the connection for scans cannot open, and tries again at the next scan', async () => {
  await using redis = await startPrivateRedis();
  const observer = createRedisClient({ url: redis.url });
  await observer.connect();
  const store = await openRedisSessionStore({ url: redis.url, timeout: 60_000, clock: systemClock, sealer });
  await store.create(record);
  await observer.configSet('maxclients', '2');
  for (let round = 0; round < 2; round += 1) {
    const begun = performance.now();
    const scan = store.list({ sort: 'ipAddress' });
    await expect(scan).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryAfter: 1 });
    expect(performance.now() - begun).toBeLessThan(500);
    expect((await store.touch('h')).session?.id).toBe('c1');
  }
  await observer.configSet('maxclients', '100');
  expect((await store.list({ sort: 'ipAddress' })).pagination?.totalCount).toBe(1);
  expect(await observer.clientList()).toHaveLength(3);
  await Promise.all([store.close(), observer.close()]);
});

async function rowsOf(store: SessionStore, filter: string): Promise<LiveApiSession[]> {
  const rows: LiveApiSession[] = [];
  for await (const batch of (await store.list({ filter })).batches) rows.push(...batch);
  return rows;
}

it('takes no session that it has not sealed, and no changed or copied one', async () => {
  const url = await freshRedis(inject('redisUrl'));
  const store = await openRedisSessionStore({ url, timeout: 60_000, clock: systemClock, sealer });
  await store.create(record);
  const client = await createRedisClient({ url }).connect();
  const write = (text: string, tokenHash = 'h') => client.hSet(`edge:{${tokenHash}}`, 'record', text);
  const sealed = (await client.hGet('edge:{h}', 'record')) ?? '';
  const json = sealed.slice(sealed.indexOf('{'));
  const otherSealer = createSealer(Buffer.alloc(32, 2));
  const forged = [
    json,
    `${otherSealer.sign(`API session ${json}`)}${json}`,
    sealed.replace('"identityId":"i"', '"identityId":"j"'),
    sealed.replace('"createdAt":1', '"createdAt":2'),
    `${sealed} `,
    sealed.slice(1),
    'x',
    '',
  ];
  for (const text of forged) {
    await write(text);
    expect((await store.touch('h')).session).toBeNull();
    expect(await store.find('c1')).toBeNull();
    expect(await store.update('h', { isMfaComplete: true })).toBe(false);
    for (const filter of ['id = "c1"', 'not mfaComplete']) expect(await rowsOf(store, filter)).toEqual([]);
  }
  await write(sealed, 'another');
  expect((await store.touch('another')).session).toBeNull();
  await write(sealed);
  expect((await store.touch('h')).session).toMatchObject(record);
  await Promise.all([client.close(), store.close()]);
});

it('takes no changed, forged or copied record in place of one that it has verified before', async () => {
  const url = await freshRedis(inject('redisUrl'));
  const store = await openRedisSessionStore({ url, timeout: 60_000, clock: systemClock, sealer });
  const client = await createRedisClient({ url }).connect();
  const textOf = async (tokenHash: string) => (await client.hGet(`edge:{${tokenHash}}`, 'record')) ?? '';
  const write = (text: string, tokenHash = 'h') => client.hSet(`edge:{${tokenHash}}`, 'record', text);
  await store.create(record);
  await store.create({ ...record, id: 'c2', tokenHash: 'g', identityId: 'k' });
  const [own, other] = [await textOf('h'), await textOf('g')];
  expect(other).toHaveLength(own.length);
  const sameLength = [
    other,
    own.replace('"identityId":"i"', '"identityId":"j"'),
    own.replace('"isMfaComplete":true', '"isMfaComplete":null'),
    `${own.startsWith('A') ? 'B' : 'A'}${own.slice(1)}`,
    `${other.slice(0, other.indexOf('{'))}${own.slice(own.indexOf('{'))}`,
  ];
  for (const text of sameLength) {
    await write(own);
    expect((await store.touch('h')).session).toMatchObject({ id: 'c1', identityId: 'i' });
    expect((await store.touch('g')).session).toMatchObject({ id: 'c2', identityId: 'k' });
    await write(text);
    if (text !== own) expect((await store.touch('h')).session, text).toBeNull();
  }
  await write(own, 'g');
  expect((await store.touch('g')).session, 'the verified record of another token').toBeNull();
  await client.del('edge:{h}');
  expect((await store.touch('h')).session, 'a key that is gone').toBeNull();
  await Promise.all([client.close(), store.close()]);
});

it('never returns a version again after Redis lost it, nor when another server has an earlier one', async () => {
  await using redis = await startPrivateRedis();
  await using other = await startPrivateRedis();
  await using proxy = await startFaultProxy(redis.port);
  const store = await openRedisSessionStore({ url: `redis://127.0.0.1:${proxy.port}`, ...options });
  const seen: string[] = [];
  const see = async () => void seen.push((await store.touch('h')).version);
  const client = await createRedisClient({ url: redis.url }).connect();
  await see();
  await client.flushDb();
  await see();
  await client.del('edge:version');
  await see();
  const version = (await client.get('edge:version')) ?? '';
  const promoted = await createRedisClient({ url: other.url }).connect();
  await promoted.set('edge:version', version);
  proxy.switchTarget(other.port);
  proxy.reset();
  await expect
    .poll(
      () =>
        see().then(
          () => true,
          () => false,
        ),
      { timeout: 5_000 },
    )
    .toBe(true);
  expect(new Set(seen).size).toBe(4);
  await Promise.all([store.close(), client.close(), promoted.close()]);
});

it('warns about a Redis that may evict sessions, or refuses it', async () => {
  await using redis = await startPrivateRedis();
  const client = await createRedisClient({ url: redis.url }).connect();
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const open = (refuseEviction: boolean) => openRedisSessionStore({ url: redis.url, ...options, warn, refuseEviction });
  await (await open(true)).close();
  await client.configSet('maxmemory-policy', 'allkeys-lru');
  await (await open(false)).close();
  expect(warnings).toEqual([expect.stringMatching(/^Redis at 127.*allkeys-lru.*maxmemory-policy noeviction$/)]);
  const refusal = await open(true).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    problems: [
      {
        message: expect.stringMatching(/may evict API sessions: its maxmemory-policy is allkeys-lru$/),
        fix: 'CONFIG SET maxmemory-policy noeviction, or unset EDGE_REFUSE_EVICTION',
      },
    ],
  });
  await expect.poll(async () => (await client.clientList()).length).toBe(1);
  await client.close();
});

it('fails with STORE_UNAVAILABLE within 500 ms while Redis is stopped or frozen, and recovers within 2 s', async () => {
  await using redis = await startPrivateRedis();
  const store = await openRedisSessionStore({ url: redis.url, timeout: 60_000, clock: systemClock, sealer });
  const { version } = await store.touch('h');
  const expectUnavailable = async () => {
    for (const call of [
      () => store.touch('h'),
      () => store.create(record),
      () => store.list({}),
      () => store.remove({ ...record, id: 'x' }),
    ]) {
      const begun = performance.now();
      await expect(call()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryAfter: 1 });
      expect(performance.now() - begun).toBeLessThan(500);
    }
  };
  await redis.stop();
  await expectUnavailable();
  await redis.start();
  const isAvailable = async () => (await store.touch('h').catch(() => null)) !== null;
  await expect.poll(isAvailable).toBe(true);
  expect((await store.touch('h')).version).not.toBe(version);
  redis.pause();
  await expectUnavailable();
  redis.resume();
  await expect.poll(isAvailable).toBe(true);
  await store.close();
});

it('throws an error with the address of Redis when it cannot connect, without the password', async () => {
  const opening = openRedisSessionStore({
    url: 'redis://user:secret@127.0.0.1:1',
    timeout: 1_000,
    clock: systemClock,
    sealer,
  });
  const error = await opening.catch((reason: Error) => reason);
  expect(String(error)).toMatch(/Redis at 127\.0\.0\.1:1 cannot be reached/);
  expect(String(error)).not.toContain('secret');
});

it('forgets what a killed process has left in the indexes, and needs no index to end sessions', async () => {
  const url = await freshRedis(inject('redisUrl'));
  const store = await openRedisSessionStore({ url, ...options });
  const client = await createRedisClient({ url }).connect();
  const open = async (tokenHash: string) => {
    const apiSession = { id: sessionId(Date.now()), tokenHash, identityId: 'i' };
    await store.create({ ...record, ...apiSession });
    const place = { type: 'Dial', serviceId: 'a' } as const;
    const id = serviceSessionId({ apiSessionId: apiSession.id, ...place });
    const session = { id, ...place, tags: {}, createdAt: 1, apiSession };
    await store.serviceSessions.open(session, 10);
    return session;
  };
  const [kept, killed] = [await open('h1'), await open('h2')];
  // What `remove` does before the process is killed.
  await client.zAdd('edge:expiry', { score: Date.now(), value: `${killed.apiSession.id} h2 i` });
  await client.del('edge:{h2}');
  const left = async () => [await client.zCard('edge:sessions'), await client.zCard('edge:ids')];
  await expect.poll(left).toEqual([1, 1]);
  await client.del('edge:sessions');
  expect(await store.serviceSessions.ofApiSession(kept.apiSession)).toEqual([kept]);
  await Promise.all([client.close(), store.close()]);
});

it('names an expired session to one of the controllers that look for it at the same time', async () => {
  const url = await freshRedis(inject('redisUrl'));
  const { clock, pass } = testTime();
  const named: string[] = [];
  const onExpired: OnExpired = async (sessions) => void named.push(...sessions.map(({ id }) => id));
  const open = () => openRedisSessionStore({ url, timeout: 200, clock, sealer, onExpired });
  const stores = await Promise.all([open(), open(), open()]);
  const ids = Array.from({ length: 50 }, (_, at) => `s${at}`);
  await Promise.all(ids.map((id) => stores[0].create({ ...record, id, tokenHash: id })));
  await expect.poll(async () => (await stores[0].load(ids)).length).toBe(0);
  await pass(300);
  await Promise.all(stores.map((store) => store.list({})));
  await expect.poll(() => named.length).toBeGreaterThanOrEqual(50);
  await Promise.all(stores.map((store) => store.list({})));
  expect(named.toSorted()).toEqual(ids.toSorted());
  await Promise.all(stores.map((store) => store.close()));
});

it('names an expired session once, and again when the first controller could not record it or died', async () => {
  const url = await freshRedis(inject('redisUrl'));
  const { clock, pass } = testTime();
  const named: string[] = [];
  const open = (name: string, answer: Promise<void>) =>
    openRedisSessionStore({
      ...{ url, timeout: 200, clock, sealer },
      async onExpired(sessions) {
        named.push(...sessions.map(({ id }) => `${name} ${id}`));
        await answer;
      },
    });
  const refused = Promise.reject(new Error('the audit log cannot be written'));
  refused.catch(() => undefined);
  const client = await createRedisClient({ url }).connect();
  const waiting = () => client.zCard('edge:expired');
  const expire = async (store: SessionStore, id: string) => {
    await store.create({ ...record, id, tokenHash: id });
    await expect.poll(() => client.exists(`edge:{${id}}`)).toBe(0);
    await pass(300);
  };

  const able = await open('able', Promise.resolve());
  await expire(able, 'a');
  await expect.poll(() => named).toEqual(['able a']);
  await expect.poll(waiting).toBe(0);
  await able.close();

  for (const [name, answer] of [['unable', refused] as const, ['dead', new Promise<never>(() => undefined)] as const]) {
    const store = await open(name, answer);
    await expire(store, name);
    await expect.poll(() => named.splice(0)).toContain(`${name} ${name}`);
    await store.close();
  }
  expect(await client.zCard('edge:ids')).toBe(0);
  const other = await open('other', Promise.resolve());
  expect((await other.list({})).pagination?.totalCount).toBe(0);
  expect(named).toEqual([]);
  expect(await waiting()).toBe(2);
  await pass(30_000);
  await expect.poll(() => named.toSorted()).toEqual(['other dead', 'other unable']);
  await expect.poll(waiting).toBe(0);
  await Promise.all([client.close(), other.close()]);
});
