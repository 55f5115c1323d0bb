import onFinished from 'on-finished';
import { ApiError } from '../../api-error.ts';
import type { Logger } from '../../lib/log.ts';
import type { Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';

interface Running {
  readonly endsAt: number;
  readonly refuse: () => void;
}

/** Milliseconds between two looks for requests that take too long. */
const interval = 100;

/**
 * Refuses with 503 what takes longer than `milliseconds`. The work goes on, and its result is dropped. One timer serves
 * all requests, because a timer for each costs more than the rest of this middleware.
 */
export function timeLimit(milliseconds: number, log: Logger): Middleware {
  // The first one began first, so it is the first to reach its limit.
  const running = new Set<Running>();
  let timer: NodeJS.Timeout | null = null;
  const refuseLate = () => {
    const now = performance.now();
    for (const request of running) {
      if (request.endsAt > now) return;
      running.delete(request);
      request.refuse();
    }
    clearInterval(timer ?? undefined);
    timer = null;
  };

  return (ctx, next) =>
    new Promise((resolve, reject) => {
      const endsAt = performance.now() + milliseconds;
      const work = next();
      const refuse = () => {
        reject(new ApiError('TIMEOUT'));
        work.catch((error) => log.error({ err: error, requestId: requestIdOf(ctx) }, 'request failed after its limit'));
      };
      const request = { endsAt, refuse };
      running.add(request);
      timer ??= setInterval(refuseLate, Math.min(interval, milliseconds)).unref();
      onFinished(ctx.res, () => running.delete(request));
      work.then(resolve, reject);
    });
}
