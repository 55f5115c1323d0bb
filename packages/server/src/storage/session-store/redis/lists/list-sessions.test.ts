import { expect, inject, it } from 'vitest';
import { freshRedis, startPrivateRedis } from '../../../../../test/support/redis.ts';
import type { Query } from '../../../../core/filter/page.ts';
import { createSealer } from '../../../../core/secrets/sealer.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import { createRedisClient } from '../../../database/redis/clients.ts';
import type { SessionStore } from '../../session-store.ts';
import { openRedisSessionStore } from '../session-store.ts';

const timeout = 60_000;
const sealer = createSealer(Buffer.alloc(32, 1));

const sessionAt = (at: number, createdAt = 1_000_000 + at) => ({
  ...{ id: `c${String(at).padStart(4, '0')}`, tokenHash: `h${at}`, sealedToken: 's', ipAddress: `::${at % 3}` },
  ...{
    identityId: `i${at % 4}`,
    authenticatorId: `a${at % 8}`,
    method: 'password' as const,
    mfaId: null,
    mfaPassedAt: null,
    usesRouters: false,
    tokenReadBy: null,
    endsAt: null,
    credentialVersion: 0,
  },
  ...{ configTypes: [], createdAt, updatedAt: 1, isMfaRequired: false, isMfaComplete: at % 5 === 0 },
  ...{ caId: null, caVersion: 0, signerId: null, signerVersion: 0, isCertExtendable: false },
  improperClientCertChain: false,
});

async function idsOf(store: SessionStore, query: Query): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const rows of (await store.list(query)).batches) ids.push(...rows.map(({ id }) => id));
  return ids;
}

async function createSessions(store: SessionStore, length: number, timeOf?: (at: number) => number): Promise<void> {
  for (let from = 0; from < length; from += 100) {
    const positions = Array.from({ length: Math.min(100, length - from) }, (_, more) => from + more);
    await Promise.all(positions.map((at) => store.create(sessionAt(at, timeOf?.(at)))));
  }
}

async function open(url: string, options: { listTimeLimit?: number } = {}) {
  const store = await openRedisSessionStore({ url, timeout, clock: systemClock, sealer, ...options });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

async function observe(url: string) {
  const client = createRedisClient({ url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: async () => void (await client.close()) });
}

/** The number of calls of each command, also those in scripts. */
async function callsOf(client: Awaited<ReturnType<typeof observe>>): Promise<Readonly<Record<string, number>>> {
  const lines = (await client.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return Object.fromEntries([...lines].map(([, name, calls]) => [name, Number(calls)]));
}

it('reads only the sessions of the page when indexes have the order and the filter', async () => {
  await using redis = await startPrivateRedis();
  await using opened = await open(redis.url);
  await using observer = await observe(redis.url);
  const { store } = opened;
  await createSessions(store, 1_500);
  const queries: readonly Query[] = [
    {},
    { sort: 'id desc', offset: 1_000 },
    { sort: 'createdAt' },
    { sort: 'createdAt desc', offset: 1_250 },
    { sort: 'createdAt desc, id desc' },
    { filter: 'identity = "i1"' },
    { filter: 'identity = "i1"', sort: 'createdAt desc', offset: 200 },
    { filter: 'identity in ["i1", "i2"] and createdAt > datetime(1970-01-01T00:00:00Z)', sort: 'identity' },
  ];
  for (const query of queries) {
    await observer.configResetStat();
    expect(await idsOf(store, { ...query, limit: 7 })).toHaveLength(7);
    const calls = await callsOf(observer);
    expect(calls).toMatchObject({ hget: 7, pttl: 7 });
    expect(Object.keys(calls)).not.toContain('keys');
  }
  await observer.configResetStat();
  await store.touch('h1');
  const calls = await callsOf(observer);
  expect(calls).toMatchObject({ hget: 1, pexpire: 1, get: 1 });
  expect(Object.keys(calls)).not.toContain('zadd');
});

it('lists the sessions of a version without the index by creation, and drops what that version removed', async () => {
  const url = await freshRedis(inject('redisUrl'));
  await using observer = await observe(url);
  {
    await using before = await open(url);
    await createSessions(before.store, 1_200, (at) => 1_000_000 + ((at * 7) % 1_200));
  }
  await observer.del('edge:created');
  await observer.zAdd('edge:created', { score: 1_000_600, value: 'c9999 h9999 i0' });
  const expected = Array.from({ length: 1_200 }, (_, at) => at)
    .toSorted((a, b) => ((b * 7) % 1_200) - ((a * 7) % 1_200))
    .map((at) => sessionAt(at).id);
  {
    await using after = await open(url);
    // The first three lists wait for the same index.
    const pages = await Promise.all(
      [0, 400, 800].map((offset) => idsOf(after.store, { sort: 'createdAt desc', limit: 400, offset })),
    );
    expect(pages.flat()).toEqual(expected);
  }
  expect(await observer.zCard('edge:created')).toBe(1_200);
  expect(await observer.zScore('edge:created', 'c9999 h9999 i0')).toBeNull();
});

it('lists the sessions of a version without the index also when that version has added as many as it removed', async () => {
  const url = await freshRedis(inject('redisUrl'));
  await using observer = await observe(url);
  {
    await using before = await open(url);
    await createSessions(before.store, 20);
  }
  await observer.zRemRangeByRank('edge:created', 5, 5);
  await observer.zAdd('edge:created', { score: 1_000_600, value: 'c9999 h9999 i0' });
  await using after = await open(url);
  const expected = Array.from({ length: 20 }, (_, at) => sessionAt(at).id);
  expect(await idsOf(after.store, { sort: 'createdAt', limit: 20 })).toEqual(expected);
  expect(await observer.zScore('edge:created', 'c9999 h9999 i0')).toBeNull();
});

it('scans by the time of creation although the index has not all sessions yet', async () => {
  const url = await freshRedis(inject('redisUrl'));
  await using observer = await observe(url);
  await using opened = await open(url);
  await createSessions(opened.store, 20);
  await observer.zRemRangeByRank('edge:created', 5, 15);
  const ids = await idsOf(opened.store, { filter: 'identity = "i1"', sort: 'createdAt desc' });
  expect(ids).toEqual([17, 13, 9, 5, 1].map((at) => sessionAt(at).id));
});

it('refuses a scan that takes too long with 503, and serves lists from indexes meanwhile', async () => {
  const url = await freshRedis(inject('redisUrl'));
  await using opened = await open(url, { listTimeLimit: 0 });
  const { store } = opened;
  await createSessions(store, 20);
  const scans = [{ filter: 'mfaComplete' }, { sort: 'lastActivityAt desc' }, { filter: 'mfaComplete', limit: -1 }];
  for (const query of scans) {
    await expect(store.list(query)).rejects.toMatchObject({
      code: 'TIMEOUT',
      detail: { message: 'the list took longer than 0 s; narrow the filter' },
    });
  }
  expect(await idsOf(store, { limit: 5 })).toHaveLength(5);
  expect(await idsOf(store, { filter: 'identity = "i1"' })).toHaveLength(5);
});

it('leaves out an evicted session and keeps the positions of the others', async () => {
  const url = await freshRedis(inject('redisUrl'));
  await using observer = await observe(url);
  await using opened = await open(url);
  await createSessions(opened.store, 10);
  await observer.del('edge:{h4}');
  const page = (offset: number) => idsOf(opened.store, { sort: 'createdAt', limit: 5, offset });
  expect(await page(0)).toEqual([0, 1, 2, 3].map((at) => sessionAt(at).id));
  expect(await page(5)).toEqual([5, 6, 7, 8, 9].map((at) => sessionAt(at).id));
  expect(await idsOf(opened.store, { filter: 'id = "c0004"' })).toEqual([]);
});
