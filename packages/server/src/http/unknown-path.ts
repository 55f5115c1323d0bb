import { ApiError } from '../core/api-error.ts';

/** The error for a path that nothing has. */
export function unknownPath(path: string): ApiError {
  const message = `path ${path.slice(0, 256)} was not found`;
  return new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
}
