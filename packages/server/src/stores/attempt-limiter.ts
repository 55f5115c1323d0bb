import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** How many attempts to prove an identity one client may make: `rate` per second, and `burst` of them at once. */
export interface AttemptRate {
  /** 0: no limit. */
  readonly rate: number;
  readonly burst: number;
}

/** Limits attempts by key (a client address). */
export interface AttemptLimiter {
  /** Counts an attempt. Resolves to 0 when it may be made, else to the milliseconds to wait. Never rejects. */
  consume(key: string): Promise<number>;
}

/** Seconds. A burst is granted once in this time, so that `rate` is what counts in the long run. */
const burstInterval = 60;

/** Counts in this process. */
export function createAttemptLimiter({ rate, burst }: AttemptRate): AttemptLimiter {
  if (rate <= 0) return { consume: async () => 0 };
  const limiter = new BurstyRateLimiter(
    new RateLimiterMemory({ points: rate, duration: 1 }),
    new RateLimiterMemory({ points: Math.max(0, burst - rate), duration: burstInterval }),
  );
  return { consume: (key) => waitOf(limiter.consume(key)) };
}

/** A limiter rejects with a result when the limit is reached, and with an error when it fails. */
export async function waitOf(consumed: Promise<unknown>): Promise<number> {
  try {
    await consumed;
    return 0;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext);
    throw refusal;
  }
}
