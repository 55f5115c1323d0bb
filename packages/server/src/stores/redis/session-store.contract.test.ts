import { expect, inject, it } from 'vitest';
import { freshRedis, startPrivateRedis } from '../../../test/support/redis.ts';
import { systemClock } from '../../lib/clock.ts';
import { describeSessionStore } from '../session-store.contract.ts';
import { openRedisSessionStore } from './session-store.ts';

describeSessionStore('Redis', async (timeout) => {
  const url = await freshRedis(inject('redisUrl'));
  const store = await openRedisSessionStore({ url, timeout, clock: systemClock });
  return { store, [Symbol.asyncDispose]: () => store.close() };
});

const record = {
  ...{ id: 'c1', tokenHash: 'h', sealedToken: 's', identityId: 'i', authenticatorId: 'a', ipAddress: '::1' },
  ...{ configTypes: [], createdAt: 1, updatedAt: 1, isMfaRequired: false, isMfaComplete: false },
};

it('sees on one replica what was removed or bumped on another', async () => {
  const options = { url: await freshRedis(inject('redisUrl')), timeout: 60_000, clock: systemClock };
  const [first, second] = [await openRedisSessionStore(options), await openRedisSessionStore(options)];
  await first.create(record);
  const { session, version } = await second.touch('h');
  expect(session?.id).toBe('c1');
  await first.bumpVersion();
  expect((await second.touch('h')).version).not.toBe(version);
  await second.remove('c1');
  expect((await first.touch('h')).session).toBeNull();
  await Promise.all([first.close(), second.close()]);
});

it('tells the time of the last touch truthfully after the timeout was changed', async () => {
  const options = { url: await freshRedis(inject('redisUrl')), clock: systemClock };
  const before = await openRedisSessionStore({ ...options, timeout: 60_000 });
  const created = await before.create(record);
  const after = await openRedisSessionStore({ ...options, timeout: 5_000 });
  expect(Math.abs(((await after.find('c1'))?.lastActivityAt ?? 0) - created.lastActivityAt)).toBeLessThan(100);
  const { session } = await after.touch('h');
  const found = await before.find('c1');
  expect(Math.abs((found?.lastActivityAt ?? 0) - (session?.lastActivityAt ?? 0))).toBeLessThan(100);
  await Promise.all([before.close(), after.close()]);
});

it('answers STORE_UNAVAILABLE within 500 ms while Redis is away or frozen, and recovers within 2 s', async () => {
  await using redis = await startPrivateRedis();
  const store = await openRedisSessionStore({ url: redis.url, timeout: 60_000, clock: systemClock });
  const { version } = await store.touch('h');
  const refused = async () => {
    for (const call of [
      () => store.touch('h'),
      () => store.create(record),
      () => store.list({}),
      () => store.remove('x'),
    ]) {
      const begun = performance.now();
      await expect(call()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryAfter: 1 });
      expect(performance.now() - begun).toBeLessThan(500);
    }
  };
  await redis.stop();
  await refused();
  await redis.start();
  const answers = async () => (await store.touch('h').catch(() => null)) !== null;
  await expect.poll(answers, { timeout: 2_000 }).toBe(true);
  expect((await store.touch('h')).version).not.toBe(version);
  redis.pause();
  await refused();
  redis.resume();
  await expect.poll(answers, { timeout: 2_000 }).toBe(true);
  await store.close();
});

it('says clearly that it cannot open without Redis', async () => {
  const opening = openRedisSessionStore({ url: 'redis://user:secret@127.0.0.1:1', timeout: 1_000, clock: systemClock });
  const error = await opening.catch((reason: Error) => reason);
  expect(String(error)).toMatch(/Redis at 127\.0\.0\.1:1 cannot be reached/);
  expect(String(error)).not.toContain('secret');
});
