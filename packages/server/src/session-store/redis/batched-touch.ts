import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { PendingTouch } from '../pending-touch.ts';
import type { SessionStore } from '../session-store.ts';
import type { RedisKeys } from './keys.ts';
import type { SessionConnection } from './scripts.ts';
import { splitIntoCalls } from './scripts.ts';
import type { RecordCodec, StoredRecord } from './stored-record.ts';
import { createVerifiedRecords } from './verified-records.ts';

/**
 * Creates `touch`. It sends all touches of one event-loop turn in one round trip, together with one read of the
 * version.
 */
export function createBatchedTouch({
  connection,
  keys,
  timeout,
  clock,
  codec,
  change,
}: {
  connection: SessionConnection;
  keys: RedisKeys;
  timeout: number;
  clock: Clock;
  codec: RecordCodec;
  /** Replaces members of a record. */
  change: (tokenHash: string, members: Partial<StoredRecord>) => Promise<unknown>;
}): SessionStore['touch'] {
  const readRecord = createVerifiedRecords(codec);
  let openBatch: PendingTouch[] | null = null;

  const startBatch = (): PendingTouch[] => {
    const batch: PendingTouch[] = [];
    const closeBatch = () => {
      if (openBatch === batch) openBatch = null;
    };
    connection
      .run((client) => {
        const records = new Promise<readonly (string | null)[]>((resolve, reject) => {
          setImmediate(() => {
            closeBatch();
            const calls = splitIntoCalls(batch.map(({ tokenHash }) => keys.session(tokenHash)));
            Promise.all(calls.map((callKeys) => client.touchSessions(callKeys, timeout))).then(
              (found) => resolve(found.flat()),
              reject,
            );
          });
        });
        // This command makes the client write in its own immediate. It runs after the one above, in the same turn.
        return Promise.all([records, client.readVersion(keys.version, randomUUID())]);
      })
      .then(
        ([records, storedVersion]) => {
          const version = `${connection.epoch()}:${storedVersion}`;
          for (const [at, touch] of batch.entries()) resolveTouch(touch, records[at] ?? null, version);
        },
        (error) => {
          closeBatch();
          for (const { reject } of batch) reject(error);
        },
      );
    return batch;
  };

  const resolveTouch = ({ tokenHash, resolve, reject }: PendingTouch, text: string | null, version: string) => {
    const record = text === null ? null : readRecord(text, tokenHash);
    if (record === null) return resolve({ session: null, version });
    const now = clock();
    const session = { ...record, record, lastActivityAt: now, expiresAt: now + timeout };
    // The timeout setting was changed since this record was written.
    if (record.timeout !== timeout) change(tokenHash, { timeout }).then(() => resolve({ session, version }), reject);
    else resolve({ session, version });
  };

  return (tokenHash) =>
    new Promise((resolve, reject) => {
      openBatch ??= startBatch();
      openBatch.push({ tokenHash, resolve, reject });
    });
}
