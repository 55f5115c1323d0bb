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
