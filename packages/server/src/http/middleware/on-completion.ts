import type { ControllerEvents } from '../../core/events/events.ts';
import type { RequestMetrics } from '../../operate/metrics/request-metrics.ts';
import type { Context, Middleware } from '../request-state.ts';

/** Sees a request when its response is complete or its client is gone. */
export type Observer = (ctx: Context, milliseconds: number) => void;

/** Calls the observers once for each request, after everything else. */
export function onCompletion(observers: readonly Observer[]): Middleware {
  return (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const milliseconds = performance.now() - startedAt;
      for (const observe of observers) observe(ctx, milliseconds);
    });
    return next();
  };
}

export interface LimitedOptions {
  /** Called for each request that got 429. */
  readonly onLimited?: (limited: ControllerEvents['request.limited']) => void;
}

/** Records the requests that were refused because somebody asks for too much. */
export function recordLimited({ onLimited }: LimitedOptions): Observer {
  return ({ res, state, url, ip: ipAddress }) => {
    if (res.statusCode !== 429) return;
    const identityId = state.session?.principal.id;
    const path = (url.split('?', 1)[0] ?? '').slice(0, 512);
    onLimited?.({ code: state.errorCode ?? 'UNHANDLED', path, ipAddress, ...(identityId && { identityId }) });
  };
}

/** Counts each request for its operation, and each error for its code. */
export function countRequest(requests: RequestMetrics): Observer {
  return ({ res, state }, milliseconds) => {
    const { operation, errorCode } = state;
    const counted = operation?.requests ?? requests.others;
    counted.record(res.writableFinished ? res.statusCode : 0, milliseconds / 1_000);
    if (errorCode !== undefined) requests.refuse(errorCode);
  };
}
