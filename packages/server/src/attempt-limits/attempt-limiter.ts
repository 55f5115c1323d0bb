import type { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { BurstyRateLimiter, RateLimiterRes } from 'rate-limiter-flexible';

/** How many attempts to prove an identity one client may make: `rate` per second, and `burst` of them at once. */
export interface AttemptRate {
  /** 0: no limit. */
  readonly rate: number;
  readonly burst: number;
}

/** Limits attempts by key (a client address). */
export interface AttemptLimiter {
  /** Counts an attempt. Resolves to 0 when it may be made, otherwise to the milliseconds to wait. */
  consume(key: string): Promise<number>;
  close(): Promise<void>;
}

/** What a limiter of the library is made of. */
interface Points {
  readonly keyPrefix: string;
  readonly points: number;
  /** Seconds. */
  readonly duration: number;
}

/** Seconds. A burst is granted once in this time, so that `rate` counts in the long run. */
const burstInterval = 60;

/** Makes a limiter of two: one for the rate, and one for what a burst may have on top. */
export function createAttemptLimiter(
  { rate, burst }: AttemptRate,
  create: (points: Points) => RateLimiterMemory | RateLimiterRedis,
): Pick<AttemptLimiter, 'consume'> {
  if (rate <= 0) return { consume: async () => 0 };
  const limiter = new BurstyRateLimiter(
    create({ keyPrefix: 'edge:attempts', points: rate, duration: 1 }),
    create({ keyPrefix: 'edge:attempt-bursts', points: Math.max(0, burst - rate), duration: burstInterval }),
  );
  return {
    async consume(key) {
      try {
        await limiter.consume(key);
        return 0;
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext);
        throw refusal;
      }
    },
  };
}
