import type { Traces } from '../../operate/traces/traces.ts';
import type { Context, Middleware } from '../request-state.ts';

/** Makes a span of each request, which ends with its response. */
export function traceRequest(traces: Traces): Middleware {
  return (ctx, next) => {
    const span = traces.begin(ctx.req.headers);
    if (span === null) return next();
    ctx.state.traceId = span.traceId;
    ctx.res.once('close', () => span.end(outcomeOf(ctx)));
    return span.run(next);
  };
}

function outcomeOf({ method, res, state }: Context) {
  const { operation, errorCode } = state;
  return {
    ...{ method, status: res.statusCode, errorCode: errorCode ?? null },
    ...{ route: operation?.route ?? null, operation: operation?.id ?? null },
  };
}
