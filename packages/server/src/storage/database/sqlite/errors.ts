import Database from 'better-sqlite3';
import { storeUnavailable } from '../unavailable.ts';

// Busy, full, unreadable: the file cannot be used now, and the request did not cause it.
const unavailable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOMEM)/;

/** Runs `work`. When the file cannot be used now, the error becomes `ApiError('STORE_UNAVAILABLE')`. */
export function mapErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw mapError(error);
  }
}

/** `ApiError('STORE_UNAVAILABLE')` for an error that means that the file cannot be used now. Other errors stay. */
export function mapError(error: unknown): unknown {
  return error instanceof Database.SqliteError && unavailable.test(error.code) ? storeUnavailable(error) : error;
}
