import Database from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { storeUnavailable } from '../unavailable.ts';

const maxPrepared = 500;
// Busy, full, unreadable: the file cannot be used now, the request was right.
const unavailable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOMEM)/;

/** A database as Kysely drives it: statements are prepared once, a transaction takes the write lock when it begins. */
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
  // SQLite may have rolled back by itself, for example on a full disk: nothing is left to do then.
  if (text === 'rollback') return { ...noStatement, run: () => (database.inTransaction ? exec(database, text) : done) };
  // A transaction that starts as a reader fails when it first writes and someone else wrote meanwhile.
  if (text === 'begin') return { ...noStatement, run: () => mapped(() => exec(database, 'begin immediate')) };
  const statement = mapped(() => database.prepare(text));
  return {
    reader: statement.reader,
    all: (parameters) => mapped(() => statement.all(parameters)),
    run: (parameters) => mapped(() => statement.run(parameters)),
    iterate: (parameters) => mapped(() => statement.iterate(parameters)),
  };
}

const done = { changes: 0, lastInsertRowid: 0 };
const noStatement = { reader: false, all: () => [], iterate: () => [][Symbol.iterator]() };

function exec(database: Database.Database, text: string) {
  database.exec(text);
  return done;
}

/** Runs `work`; an error that says that the file cannot be used now becomes `ApiError('STORE_UNAVAILABLE')`. */
export function mapped<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Database.SqliteError && unavailable.test(error.code)) throw storeUnavailable(error);
    throw error;
  }
}
