import type { Middleware, NotedOperation } from '../request-state.ts';

/** Notes which operation a request has reached, for those who watch requests. */
export function noteOperation(operation: NotedOperation): Middleware {
  return (ctx, next) => {
    ctx.state.operation = operation;
    return next();
  };
}
