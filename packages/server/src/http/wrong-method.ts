import { ApiError } from '../core/api-error.ts';
import type { Context } from './request-state.ts';

/** The error for a method that a path does not have. */
export function wrongMethod({ method }: Context, allowed: readonly string[]): ApiError {
  const message = `method ${method} is not allowed, but [${allowed.join(',')}] are`;
  return new ApiError('METHOD_NOT_ALLOWED', {
    cause: { code: 'UNHANDLED', message },
    headers: { Allow: allowed.join(', ') },
  });
}
