import Database from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { storeUnavailable } from '../unavailable.ts';

const maxPrepared = 500;
// Busy, full, unreadable: the file cannot be used now, and the request did not cause it.
const unavailable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOMEM)/;

/**
 * Wraps a database for Kysely. It prepares each statement once, and a transaction takes the write lock at its start.
 */
export function kyselyDatabase(database: Database.Database): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    prepare(text) {
      let statement = prepared.get(text);
      if (!statement) {
        if (prepared.size >= maxPrepared) prepared.clear();
        statement = prepare(database, text);
        prepared.set(text, statement);
      }
      return statement;
    },
    close: () => void database.close(),
  };
}

function prepare(database: Database.Database, text: string): SqliteStatement {
  // SQLite may have rolled back already, for example on a full disk.
  if (text === 'rollback') return { ...noStatement, run: () => (database.inTransaction ? exec(database, text) : done) };
  // Without `immediate`, the first write of a transaction fails if another process has written since its first read.
  if (text === 'begin') return { ...noStatement, run: () => mapErrors(() => exec(database, 'begin immediate')) };
  const statement = mapErrors(() => database.prepare(text));
  return {
    reader: statement.reader,
    all: (parameters) => mapErrors(() => statement.all(parameters)),
    run: (parameters) => mapErrors(() => statement.run(parameters)),
    iterate: (parameters) => mapErrors(() => statement.iterate(parameters)),
  };
}

const done = { changes: 0, lastInsertRowid: 0 };
const noStatement = { reader: false, all: () => [], iterate: () => [][Symbol.iterator]() };

function exec(database: Database.Database, text: string) {
  database.exec(text);
  return done;
}

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
