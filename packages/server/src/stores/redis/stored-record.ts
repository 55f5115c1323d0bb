import type { ApiSessionRecord } from '../session-store.ts';

/** What the field `record` of a session's key holds. `timeout`: the one its TTL was last set to, in milliseconds. */
export interface StoredRecord extends ApiSessionRecord {
  readonly timeout: number;
}

export function parseRecord(text: string): StoredRecord {
  return JSON.parse(text) as StoredRecord;
}
