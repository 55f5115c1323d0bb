import { ApiError } from '../api-error.ts';

/** The error for a store that cannot be used now: 503, with `Retry-After` of one second. */
export function storeUnavailable(origin: unknown): ApiError {
  return new ApiError('STORE_UNAVAILABLE', { retryAfter: 1, origin });
}

/** A store cannot be opened. The message has its host, never its password. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';
}
