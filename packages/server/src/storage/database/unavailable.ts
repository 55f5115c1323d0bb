import { ApiError } from '../../core/api-error.ts';
import { StartError } from '../../core/start/start-error.ts';

/** The error for a store that cannot be used now: 503, with `Retry-After` of one second. */
export function storeUnavailable(origin: unknown): ApiError {
  return new ApiError('STORE_UNAVAILABLE', { retryAfter: 1, origin });
}

/** The error for a list that takes too long: 503. `seconds`: its time. `advice` tells the client what to do. */
export function listTimeout({ seconds = 2, advice = 'narrow the filter', origin }: TooSlow = {}): ApiError {
  const cause = { code: 'TIMEOUT', message: `the list took longer than ${seconds} s; ${advice}` };
  return new ApiError('TIMEOUT', { cause, origin });
}

interface TooSlow {
  readonly seconds?: number;
  readonly advice?: string;
  readonly origin?: unknown;
}

const howToReach = 'start the store, or correct EDGE_DATABASE_URL or EDGE_REDIS_URL';

/** A store cannot be opened. The message has its host, never its password. `fix`: what to do, for a store that can be reached. */
export class StoreUnusable extends StartError {
  override readonly name = 'StoreUnusable';

  constructor(message: string, { fix = howToReach, ...options }: ErrorOptions & { readonly fix?: string } = {}) {
    super([{ message, setting: null, fix, kind: 'unusable' }], options);
  }
}
