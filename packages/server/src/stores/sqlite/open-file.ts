import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

const timeout = 2_000;

/**
 * Opens or creates a database file that only its owner can read. With `synchronous` `FULL` a commit survives a power
 * failure. With `NORMAL` the last commits may be lost, but the file is not damaged.
 */
export function openFile(file: string, synchronous: 'FULL' | 'NORMAL'): Database.Database {
  closeSync(openSync(file, 'a', 0o600));
  const database = new Database(file, { timeout });
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${synchronous}`);
  database.pragma('foreign_keys = ON');
  addFunctions(database);
  return database;
}

/** Opens an existing database file for reading. It sees only committed changes. */
export function openToRead(file: string): Database.Database {
  const database = new Database(file, { timeout, readonly: true, fileMustExist: true });
  addFunctions(database);
  return database;
}

function addFunctions(database: Database.Database): void {
  database.function('unicode_lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
}
