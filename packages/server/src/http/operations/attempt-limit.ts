import { ApiError } from '../../api-error.ts';
import type { AttemptLimiter } from '../../attempt-limits/attempt-limiter.ts';
import { addressGroup } from '../../lib/address-group.ts';
import type { Middleware } from '../request-state.ts';

/** 429 with `Retry-After` when the client address has tried credentials too often. */
export function attemptLimit(limiter: AttemptLimiter): Middleware {
  return async (ctx, next) => {
    const wait = await limiter.consume(addressGroup(ctx.ip));
    if (wait > 0) throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: wait / 1_000 });
    return next();
  };
}
