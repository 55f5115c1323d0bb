import type { ApiSessionRecord } from '../session-store.ts';

/**
 * The content of the field `record` in the hash of a session. `timeout`: the last TTL that was set, in milliseconds.
 */
export interface StoredRecord extends ApiSessionRecord {
  readonly timeout: number;
}

export function parseRecord(text: string): StoredRecord {
  const record = JSON.parse(text);
  // Records of an older version do not have these members.
  record.method ??= 'password';
  record.mfaId ??= null;
  return record;
}
