import { RecentlyUsed } from '../../../core/cache/recently-used.ts';
import type { RecordCodec, StoredRecord } from './stored-record.ts';

/** At least so many records are remembered, and at most twice as many. One takes about 2 KB. */
const maxRecords = 10_000;

interface Verified {
  readonly text: string;
  readonly record: StoredRecord;
}

/**
 * Reads records as `RecordCodec.read` does, but verifies a text once. When the whole text equals the one that was verified for
 * the same token, it returns the same object again.
 */
export function createVerifiedRecords(codec: RecordCodec): RecordCodec['read'] {
  const verified = new RecentlyUsed<Verified>(maxRecords);
  return (text, tokenHash) => {
    const known = verified.get(tokenHash);
    if (known?.text === text) return known.record;
    const record = codec.read(text, tokenHash);
    if (record) verified.set(tokenHash, { text, record });
    return record;
  };
}
