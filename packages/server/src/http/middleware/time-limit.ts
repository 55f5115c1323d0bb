import { ApiError } from '../../core/api-error.ts';
import type { Logger } from '../../core/log/log.ts';
import type { Context, Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';

interface Running {
  /** Its place in the list. */
  at: number;
  readonly endsAt: number;
  readonly ctx: Context;
  readonly work: Promise<unknown>;
  readonly reject: (error: ApiError) => void;
}

/** Milliseconds between two checks for requests that take too long. */
const interval = 100;

/**
 * Refuses with 503 what takes longer than `milliseconds`. The work goes on, and its result is dropped. One timer serves
 * all requests, because a timer for each costs more than the rest of this middleware.
 */
export function timeLimit(milliseconds: number, log: Logger): Middleware {
  // Not a Set: when each request adds and removes an entry, its old tables keep ended requests alive.
  const running: Running[] = [];
  let timer: NodeJS.Timeout | null = null;

  const add = (request: Running) => {
    request.at = running.push(request) - 1;
    timer ??= setInterval(refuseLate, Math.min(interval, milliseconds)).unref();
  };
  const remove = (request: Running) => {
    if (running[request.at] !== request) return;
    // The last one takes its place.
    const last = running.pop();
    if (last === undefined || last === request) return;
    last.at = request.at;
    running[last.at] = last;
  };
  const refuse = (request: Running) => {
    remove(request);
    const { ctx, work, reject } = request;
    work.catch((error) => log.error({ err: error, requestId: requestIdOf(ctx) }, 'request failed after its limit'));
    // Nobody reads the refusal of a client that is gone.
    if (!ctx.res.destroyed) reject(new ApiError('TIMEOUT'));
  };
  const refuseLate = () => {
    const now = performance.now();
    for (const request of running.filter(({ endsAt }) => endsAt <= now)) refuse(request);
    if (running.length > 0) return;
    clearInterval(timer ?? undefined);
    timer = null;
  };

  return (ctx, next) =>
    new Promise((resolve, reject) => {
      const endsAt = performance.now() + milliseconds;
      const work = next();
      const request = { at: 0, endsAt, ctx, work, reject };
      add(request);
      work.then(
        (value) => {
          remove(request);
          resolve(value);
        },
        (error) => {
          remove(request);
          reject(error);
        },
      );
    });
}
