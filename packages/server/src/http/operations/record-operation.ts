import type { Middleware, RecordedOperation } from '../request-state.ts';

/** Records which operation a request has reached, for those who watch requests, and goes on with its steps. */
export function recordOperation(operation: RecordedOperation, steps: Middleware): Middleware {
  return (ctx, next) => {
    ctx.state.operation = operation;
    return steps(ctx, next);
  };
}
