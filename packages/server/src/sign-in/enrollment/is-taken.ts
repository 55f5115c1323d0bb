import { ApiError } from '../../core/api-error.ts';

/** Whether a new identity was refused because another one has its name or its external id. */
export function isTaken(error: unknown, field: 'name' | 'externalId'): boolean {
  return error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE' && error.detail?.field === field;
}
