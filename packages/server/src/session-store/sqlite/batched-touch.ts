import type Database from 'better-sqlite3';
import { mapError } from '../../database/sqlite/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { RecentlyUsed } from '../../lib/recently-used.ts';
import type { SteadyClock } from '../../lib/steady-clock.ts';
import type { PendingTouch } from '../pending-touch.ts';
import type { ApiSessionRecord, SessionStore, TouchedApiSession } from '../session-store.ts';
import type { Changeable, SessionRow } from './session-row.ts';
import { changeable, fromRow } from './session-row.ts';

/** At least so many records are kept, and at most twice as many. One takes about 1 KB. */
const maxRecords = 10_000;

interface Kept {
  readonly record: ApiSessionRecord;
  readonly values: Changeable;
}

/**
 * Creates `touch`. It runs all touches of one event-loop turn in one transaction, because a transaction costs more than a
 * touch. Of a session that it has read before, it reads only what may have changed.
 */
export function createBatchedTouch({
  database,
  timeout,
  clock,
  steady,
}: {
  database: Database.Database;
  timeout: number;
  clock: Clock;
  steady: SteadyClock;
}): SessionStore['touch'] {
  const statements = prepare(database);
  const kept = new RecentlyUsed<Kept>(maxRecords);

  const readRecord = (tokenHash: string, values: Changeable): ApiSessionRecord | null => {
    const row = statements.read.get(tokenHash);
    if (!row) return null;
    const { lastActivityAt: _, expiresAt: __, ...record } = fromRow(row, 0);
    kept.set(tokenHash, { record, values });
    return record;
  };
  const touchOne = (tokenHash: string, now: number, date: number): TouchedApiSession | null => {
    const values = statements.touch.get(date, now + timeout, tokenHash, now);
    if (!values) return null;
    const before = kept.get(tokenHash);
    const record = before && isSame(before.values, values) ? before.record : readRecord(tokenHash, values);
    return record && { ...record, record, lastActivityAt: date, expiresAt: date + timeout };
  };
  const touchAll = database.transaction((batch: readonly PendingTouch[], now: number, date: number) => ({
    sessions: batch.map(({ tokenHash }) => touchOne(tokenHash, now, date)),
    version: String(statements.version.get()),
  }));

  let pending: PendingTouch[] = [];
  const touchPending = () => {
    const batch = pending;
    pending = [];
    try {
      const { sessions, version } = touchAll(batch, steady.now(), clock());
      for (const [at, { resolve }] of batch.entries()) resolve({ session: sessions[at] ?? null, version });
    } catch (error) {
      for (const { reject } of batch) reject(mapError(error));
    }
  };

  return (tokenHash) =>
    new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(touchPending);
      pending.push({ tokenHash, resolve, reject });
    });
}

function prepare(database: Database.Database) {
  return {
    touch: database.prepare<unknown[], Changeable>(
      `update sessions set lastActivityAt = ?, expiresAt = ? where tokenHash = ? and expiresAt > ?
        returning ${changeable.join(', ')}`,
    ),
    read: database.prepare<unknown[], SessionRow>('select * from sessions where tokenHash = ?'),
    version: database.prepare('select value from version').pluck(),
  };
}

function isSame(before: Changeable, now: Changeable): boolean {
  return changeable.every((column) => before[column] === now[column]);
}
