import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers';
import type { Clock } from '../../../core/time/clock.ts';
import type { PendingTouch } from '../pending-touch.ts';
import { expiryOf } from '../session-end.ts';
import type { Touched } from '../session-store.ts';
import type { RedisKeys } from './keys.ts';
import type { SessionConnection } from './scripts.ts';
import { splitIntoCalls } from './scripts.ts';
import type { RecordCodec, StoredRecord } from './stored-record.ts';
import { createVerifiedRecords } from './verified-records.ts';

interface BatchedTouchOptions {
  readonly connection: SessionConnection;
  readonly keys: RedisKeys;
  readonly timeout: number;
  readonly clock: Clock;
  readonly codec: RecordCodec;
  /** Replaces members of a record. */
  readonly change: (tokenHash: string, members: Partial<StoredRecord>) => Promise<unknown>;
}

/**
 * `touch` of the store. All touches of one event-loop turn are sent in one round trip, together with one read of the
 * version.
 */
export class BatchedTouch {
  readonly #options: BatchedTouchOptions;
  readonly #readRecord: RecordCodec['read'];
  #openBatch: PendingTouch[] | null = null;

  constructor(options: BatchedTouchOptions) {
    this.#options = options;
    this.#readRecord = createVerifiedRecords(options.codec);
  }

  /** A function of its own, so that a store has it without another call around it. */
  readonly touch = (tokenHash: string): Promise<Touched> =>
    new Promise((resolve, reject) => {
      this.#openBatch ??= this.#startBatch();
      this.#openBatch.push({ tokenHash, resolve, reject });
    });

  #startBatch(): PendingTouch[] {
    const { connection, keys } = this.#options;
    const batch: PendingTouch[] = [];
    connection
      .run((client) => {
        const records = new Promise<readonly (string | null)[]>((resolve, reject) => {
          setImmediate(() => {
            this.#closeBatch(batch);
            const calls = splitIntoCalls(batch.map(({ tokenHash }) => keys.session(tokenHash)));
            const times = { timeout: this.#options.timeout, now: this.#options.clock() };
            Promise.all(calls.map((callKeys) => client.touchSessions(callKeys, times))).then(
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
          for (const [at, touch] of batch.entries()) this.#resolve(touch, records[at] ?? null, version);
        },
        (error) => {
          this.#closeBatch(batch);
          for (const { reject } of batch) reject(error);
        },
      );
    return batch;
  }

  #closeBatch(batch: PendingTouch[]): void {
    if (this.#openBatch === batch) this.#openBatch = null;
  }

  #resolve({ tokenHash, resolve, reject }: PendingTouch, text: string | null, version: string): void {
    const record = text === null ? null : this.#readRecord(text, tokenHash);
    if (record === null) {
      resolve({ session: null, version });
      return;
    }
    const { clock, timeout, change } = this.#options;
    const now = clock();
    const session = { ...record, record, lastActivityAt: now, expiresAt: expiryOf(record, now + timeout) };
    // The timeout setting was changed since this record was written.
    if (record.timeout !== timeout) change(tokenHash, { timeout }).then(() => resolve({ session, version }), reject);
    else resolve({ session, version });
  }
}
