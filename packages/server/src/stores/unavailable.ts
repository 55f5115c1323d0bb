import { ApiError } from '../api-error.ts';

/** 503: a store cannot be reached or cannot do its work now; trying again after a second makes sense. */
export function storeUnavailable(origin: unknown): ApiError {
  return new ApiError('STORE_UNAVAILABLE', { retryAfter: 1, origin });
}

/** A store that is needed at start cannot be used. The message names its host, never its password. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';
}
