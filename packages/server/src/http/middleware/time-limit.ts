import { ApiError } from '../../api-error.ts';
import type { Logger } from '../../lib/log.ts';
import type { Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';

interface Running {
  readonly endsAt: number;
  readonly reject: (error: unknown) => void;
  isLate: boolean;
}

/** Milliseconds between two looks for requests that take too long. */
const interval = 100;

/**
 * Refuses with 503 what takes longer than `milliseconds`. The work goes on, and its result is dropped. One timer serves
 * all requests: one for each would cost more than all that this middleware does.
 */
export function timeLimit(milliseconds: number, log: Logger): Middleware {
  // In the order in which they began, and so in the order in which they end.
  const running = new Set<Running>();
  let timer: NodeJS.Timeout | null = null;
  const refuseLate = () => {
    const now = performance.now();
    for (const request of running) {
      if (request.endsAt > now) return;
      running.delete(request);
      request.isLate = true;
      request.reject(new ApiError('TIMEOUT'));
    }
    clearInterval(timer ?? undefined);
    timer = null;
  };

  return (ctx, next) =>
    new Promise((resolve, reject) => {
      const request = { endsAt: performance.now() + milliseconds, reject, isLate: false };
      running.add(request);
      timer ??= setInterval(refuseLate, Math.min(interval, milliseconds)).unref();
      next().then(
        (result) => {
          running.delete(request);
          resolve(result);
        },
        (error: unknown) => {
          running.delete(request);
          reject(error);
          if (request.isLate)
            log.error({ err: error, requestId: requestIdOf(ctx) }, 'request failed after its time limit');
        },
      );
    });
}
