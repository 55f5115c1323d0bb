import {
  EdgeApiError,
  EdgeAuthQueryError,
  EdgeInvalidResponseError,
  EdgeNetworkError,
  EdgeTimeoutError,
} from '../errors/errors.ts';

/** Whether another try makes sense: the controller cannot be reached or is busy, or queries must be answered first. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof EdgeApiError || error instanceof EdgeInvalidResponseError) {
    return error.status === 429 || error.status >= 500;
  }
  const isOutstanding = error instanceof EdgeAuthQueryError && error.code === 'OUTSTANDING';
  return isOutstanding || error instanceof EdgeNetworkError || error instanceof EdgeTimeoutError;
}
