import { ApiError } from '../api-error.ts';
import type { Clock } from '../lib/clock.ts';
import { addressGroup } from './client-address.ts';

/** Addresses that are remembered; the one not seen for longest is forgotten first. */
const maxAddresses = 10_000;

/**
 * Makes the limit on attempts by client address: `rate` per second with a burst of `burst`; rate 0: no limit.
 * The result throws 429 with the seconds to wait.
 */
export function createRateLimit(options: { rate: number; burst: number; clock: Clock }): (address: string) => void {
  const { rate, clock } = options;
  if (rate <= 0) return () => {};
  const burst = Math.max(1, options.burst);
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (address) => {
    const key = addressGroup(address);
    const now = clock();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    buckets.delete(key);
    const tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * rate);
    const taken = tokens >= 1 ? tokens - 1 : tokens;
    buckets.set(key, { tokens: taken, at: now });
    if (buckets.size > maxAddresses) buckets.delete(buckets.keys().next().value ?? '');
    if (tokens < 1) throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: (1 - tokens) / rate });
  };
}
