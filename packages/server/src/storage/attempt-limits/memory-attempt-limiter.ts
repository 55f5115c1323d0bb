import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { AttemptLimiter, AttemptRate } from './attempt-limiter.ts';
import { createAttemptLimiter } from './attempt-limiter.ts';

/** Counts attempts in this process. */
export function createMemoryAttemptLimiter(rate: AttemptRate): AttemptLimiter {
  return { ...createAttemptLimiter(rate, (points) => new RateLimiterMemory(points)), close: async () => {} };
}
