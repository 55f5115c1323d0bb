import type { RateLimiterRedis } from 'rate-limiter-flexible';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * How many attempts to prove an identity one client may make: `rate` per second, and `burst` of them at once. A limiter reads it
 * at each attempt.
 */
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
  limits: AttemptRate,
  create: (points: Points) => RateLimiterMemory | RateLimiterRedis,
): Pick<AttemptLimiter, 'consume'> {
  const sustained = create({ keyPrefix: 'edge:attempts', points: 0, duration: 1 });
  const bursts = create({ keyPrefix: 'edge:attempt-bursts', points: 0, duration: burstInterval });
  const limiter = new BurstyRateLimiter(sustained, bursts);
  return {
    async consume(key) {
      const { rate, burst } = limits;
      if (rate <= 0) return 0;
      setPoints(sustained, rate);
      setPoints(bursts, Math.max(0, burst - rate));
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

/** Also of the limiter that counts while Redis is away. */
function setPoints(limiter: RateLimiterMemory | RateLimiterRedis, points: number): void {
  limiter.points = points;
  if ('insuranceLimiter' in limiter && limiter.insuranceLimiter instanceof RateLimiterMemory) {
    limiter.insuranceLimiter.points = points;
  }
}
