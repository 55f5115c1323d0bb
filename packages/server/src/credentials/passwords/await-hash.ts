import { ApiError } from '../../core/api-error.ts';
import { HashQueueFull } from '../../core/secrets/password-hash.ts';

/**
 * Waits for a hash.
 *
 * @throws 429 `SERVER_TOO_MANY_REQUESTS` with `Retry-After` of one second when too many hashes are waiting
 */
export async function awaitHash<T>(hash: Promise<T>): Promise<T> {
  try {
    return await hash;
  } catch (error) {
    if (error instanceof HashQueueFull) {
      throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1, origin: error });
    }
    throw error;
  }
}
