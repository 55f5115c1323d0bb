import { ApiError } from '../../core/api-error.ts';
import { addressGroup } from '../../core/text/address-group.ts';
import type { AttemptLimiter } from '../../storage/attempt-limits/attempt-limiter.ts';
import type { Middleware } from '../request-state.ts';

/** 429 with `Retry-After` when the client address has tried credentials too often. */
export function attemptLimit(limiter: AttemptLimiter): Middleware {
  return async (ctx, next) => {
    const wait = await limiter.consume(addressGroup(ctx.ip));
    if (wait > 0) throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: wait / 1_000 });
    return next();
  };
}
