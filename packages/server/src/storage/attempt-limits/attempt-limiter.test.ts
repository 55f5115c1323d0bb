import { describe, expect, inject, it } from 'vitest';
import { freshRedis, startPrivateRedis } from '../../../test/support/redis.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import { createMemoryAttemptLimiter } from './memory-attempt-limiter.ts';
import { createRedisAttemptLimiter } from './redis-attempt-limiter.ts';

const rate = { rate: 2, burst: 5 };

/** How many of these attempts may be made. */
async function admitted(limiters: readonly AttemptLimiter[], attempts: number, key = '192.0.2.1'): Promise<number> {
  const waits = await Promise.all(
    Array.from({ length: attempts }, (_, at) => limiters[at % limiters.length]!.consume(key)),
  );
  for (const wait of waits) expect(wait).toBeLessThanOrEqual(1_000);
  return waits.filter((wait) => wait === 0).length;
}

describe('limits of attempts', () => {
  it('in memory: a burst, then the rate, for each key alone', async () => {
    const limiter = createMemoryAttemptLimiter(rate);
    expect(await admitted([limiter], 20)).toBe(5);
    expect(await admitted([limiter], 20, '192.0.2.2')).toBe(5);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await admitted([limiter], 20)).toBe(2);
    const unlimited = createMemoryAttemptLimiter({ rate: 0, burst: 1 });
    expect(await admitted([unlimited], 20)).toBe(20);
  });

  it('in Redis: several processes share them', async () => {
    const url = await freshRedis(inject('redisUrl'));
    const limiters = [createRedisAttemptLimiter(url, rate), createRedisAttemptLimiter(url, rate)];
    expect(await admitted(limiters, 30)).toBe(5);
    expect(await admitted(limiters, 30, '192.0.2.2')).toBe(5);
    await Promise.all(limiters.map((limiter) => limiter.close()));
  });

  it('in Redis that goes away: each process counts its own, and shares again when Redis is back', async () => {
    await using redis = await startPrivateRedis();
    const limiters = [createRedisAttemptLimiter(redis.url, rate), createRedisAttemptLimiter(redis.url, rate)];
    expect(await admitted(limiters, 30)).toBe(5);
    await redis.stop();
    expect(await admitted(limiters, 30)).toBe(10);
    await redis.start();
    await expect.poll(() => admitted(limiters, 30, `key ${Math.random()}`), { interval: 200 }).toBe(5);
    await Promise.all(limiters.map((limiter) => limiter.close()));
  });
});
