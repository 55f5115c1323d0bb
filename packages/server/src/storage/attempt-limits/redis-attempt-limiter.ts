import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { createLazyConnection } from '../database/redis/lazy-connection.ts';
import type { AttemptLimiter, AttemptRate } from './attempt-limiter.ts';
import { createAttemptLimiter } from './attempt-limiter.ts';

/** Counts attempts in Redis, for all processes together. While Redis is away, each process counts its own. */
export function createRedisAttemptLimiter(url: string, rate: AttemptRate): AttemptLimiter {
  const connection = createLazyConnection(url, {});
  // The connection may replace its client: the limiter is given the one command that it sends.
  const storeClient = {
    eval: (script: string, options: { keys: string[]; arguments: string[] }) =>
      connection.run((client) => client.eval(script, options)),
  };
  const limiter = createAttemptLimiter(rate, (points) => {
    const insuranceLimiter = new RateLimiterMemory(points);
    return new RateLimiterRedis({ ...points, storeClient, useRedisPackage: true, insuranceLimiter });
  });
  return { ...limiter, close: connection.close };
}
