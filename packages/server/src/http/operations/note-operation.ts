import type { Middleware, NotedOperation } from '../request-state.ts';

/** Notes which operation a request has reached, for those who watch requests, and goes on with its steps. */
export function noteOperation(operation: NotedOperation, steps: Middleware): Middleware {
  return (ctx, next) => {
    ctx.state.operation = operation;
    return steps(ctx, next);
  };
}
