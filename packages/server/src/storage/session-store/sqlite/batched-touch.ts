import { setImmediate } from 'node:timers';
import type Database from 'better-sqlite3';
import { RecentlyUsed } from '../../../core/cache/recently-used.ts';
import type { Clock, SteadyClock } from '../../../core/time/clock.ts';
import { mapError } from '../../database/sqlite/errors.ts';
import type { PendingTouch } from '../pending-touch.ts';
import { expiryOf } from '../session-end.ts';
import type { ApiSessionRecord, Touched, TouchedApiSession } from '../session-store.ts';
import type { Changeable, SessionRow } from './session-row.ts';
import { changeable, fromRow } from './session-row.ts';

/** At least so many records are kept, and at most twice as many. One takes about 1 KB. */
const maxRecords = 10_000;

interface Kept {
  readonly record: ApiSessionRecord;
  readonly values: Changeable;
}

interface BatchedTouchOptions {
  readonly database: Database.Database;
  readonly timeout: number;
  readonly clock: Clock;
  readonly steady: SteadyClock;
}

interface TouchedBatch {
  readonly sessions: readonly (TouchedApiSession | null)[];
  readonly version: string;
}

/**
 * `touch` of the store. All touches of one event-loop turn run in one transaction, because a transaction costs more than a
 * touch. Of a session that was read before, only what may have changed is read.
 */
export class BatchedTouch {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #steady: SteadyClock;
  readonly #touchAll: (batch: readonly PendingTouch[], now: number, date: number) => TouchedBatch;
  readonly #kept = new RecentlyUsed<Kept>(maxRecords);
  #pending: PendingTouch[] = [];

  constructor({ database, timeout, clock, steady }: BatchedTouchOptions) {
    this.#statements = prepare(database);
    this.#timeout = timeout;
    this.#clock = clock;
    this.#steady = steady;
    this.#touchAll = database.transaction((batch: readonly PendingTouch[], now: number, date: number) => ({
      sessions: batch.map(({ tokenHash }) => this.#touchOne(tokenHash, now, date)),
      version: String(this.#statements.version.get()),
    }));
  }

  /** A function of its own, so that a store has it without another call around it. */
  readonly touch = (tokenHash: string): Promise<Touched> =>
    new Promise((resolve, reject) => {
      if (this.#pending.length === 0) setImmediate(() => this.#touchPending());
      this.#pending.push({ tokenHash, resolve, reject });
    });

  #touchPending(): void {
    const batch = this.#pending;
    this.#pending = [];
    try {
      const { sessions, version } = this.#touchAll(batch, this.#steady.now(), this.#clock());
      for (const [at, { resolve }] of batch.entries()) resolve({ session: sessions[at] ?? null, version });
    } catch (error) {
      for (const { reject } of batch) reject(mapError(error));
    }
  }

  #touchOne(tokenHash: string, now: number, date: number): TouchedApiSession | null {
    const idleEnd = now + this.#timeout;
    // `endsAt` is a date, `expiresAt` a time of the steady clock.
    const values = this.#statements.touch.get(date, idleEnd, now - date, idleEnd, tokenHash, now, date);
    if (!values) return null;
    const before = this.#kept.get(tokenHash);
    const record = before && isSame(before.values, values) ? before.record : this.#readRecord(tokenHash, values);
    return record && { ...record, record, lastActivityAt: date, expiresAt: expiryOf(record, date + this.#timeout) };
  }

  #readRecord(tokenHash: string, values: Changeable): ApiSessionRecord | null {
    const row = this.#statements.read.get(tokenHash);
    if (!row) return null;
    const { lastActivityAt: _, expiresAt: __, ...record } = fromRow(row, 0);
    this.#kept.set(tokenHash, { record, values });
    return record;
  }
}

function prepare(database: Database.Database) {
  return {
    touch: database.prepare<unknown[], Changeable>(
      `update sessions set lastActivityAt = ?, expiresAt = min(?, ifnull(endsAt + ?, ?))
        where tokenHash = ? and expiresAt > ? and (endsAt is null or endsAt > ?)
        returning ${changeable.join(', ')}`,
    ),
    read: database.prepare<unknown[], SessionRow>('select * from sessions where tokenHash = ?'),
    version: database.prepare('select value from version').pluck(),
  };
}

function isSame(before: Changeable, now: Changeable): boolean {
  return changeable.every((column) => before[column] === now[column]);
}
