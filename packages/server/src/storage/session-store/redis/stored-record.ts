import type { Sealer } from '../../../core/secrets/sealer.ts';
import type { ApiSessionRecord } from '../session-store.ts';

/** An API session as it is stored. `timeout`: the last TTL that was set, in milliseconds. */
export interface StoredRecord extends ApiSessionRecord {
  readonly timeout: number;
}

/**
 * Converts a session to the field `record` of its hash and back. The text is a seal and JSON. The seal covers the whole
 * JSON, so that nobody who can write to Redis makes a session or changes one.
 */
export interface RecordCodec {
  write(record: StoredRecord): string;
  /** Returns `null` when the text is not sealed by this controller or is the record of another token. */
  read(text: string, tokenHash: string): StoredRecord | null;
}

const context = 'API session ';
/**
 * The members that a record of an older version lacks. Their value: it is not known whether the session has asked for routers or
 * who has read its token, and only its timeout ends it.
 */
const unrecorded = { usesRouters: null, tokenReadBy: null, endsAt: null } as const;

export function createRecordCodec(sealer: Sealer): RecordCodec {
  return {
    write({ endsAt, ...record }) {
      // The script of a touch looks for this member at the start.
      const json = JSON.stringify({ endsAt, ...record });
      return sealer.sign(context + json) + json;
    },

    read(text, tokenHash) {
      const start = text.indexOf('{');
      const json = text.slice(start);
      if (start < 0 || !sealer.isSignature(text.slice(0, start), context + json)) return null;
      const record: StoredRecord = { ...unrecorded, ...JSON.parse(json) };
      return record.tokenHash === tokenHash ? record : null;
    },
  };
}

/** Reads a record without a check of its seal. Returns `null` when it is none. */
export function readUnverified(text: string): StoredRecord | null {
  const start = text.indexOf('{');
  try {
    return start < 0 ? null : { ...unrecorded, ...JSON.parse(text.slice(start)) };
  } catch {
    return null;
  }
}
