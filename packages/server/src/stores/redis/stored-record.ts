import type { ApiSessionRecord } from '../session-store.ts';

/** What the field `record` of a session's key holds. `timeout`: the one its TTL was last set to, in milliseconds. */
export interface StoredRecord extends ApiSessionRecord {
  readonly timeout: number;
}

export function parseRecord(text: string): StoredRecord {
  const record = JSON.parse(text);
  // An older version did not know these.
  record.method ??= 'password';
  record.mfaId ??= null;
  return record;
}
