import { ApiError } from '../../api-error.ts';
import type { Logger } from '../../lib/log.ts';
import type { Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';

/** Refuses with 503 what has not begun to respond after `milliseconds`. The work goes on, and its result is dropped. */
export function timeLimit(milliseconds: number, log: Logger): Middleware {
  return (ctx, next) => {
    const limit = Promise.withResolvers<never>();
    const work = next();
    const timer = setTimeout(() => {
      limit.reject(new ApiError('TIMEOUT'));
      work.catch((error) =>
        log.error({ err: error, requestId: requestIdOf(ctx) }, 'request failed after its time limit'),
      );
    }, milliseconds);
    ctx.res.once('close', () => clearTimeout(timer));
    return Promise.race([work, limit.promise]);
  };
}
