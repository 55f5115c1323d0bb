import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

const timeout = 2_000;

/**
 * Opens or creates a database file that only its owner can read. A power failure does not damage it, but may take the last
 * commits, unless a `LogFile` has brought them to the disk.
 */
export function openFile(file: string): Database.Database {
  createFile(file);
  const database = new Database(file, { timeout });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
  } catch (error) {
    database.close();
    throw error;
  }
  addFunctions(database);
  return database;
}

/** Creates a file that only its owner can read, unless it exists. */
export function createFile(file: string): void {
  try {
    // A file that exists is not opened: to close it would release the locks that this process has on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Opens an existing database file for reading. It sees only committed changes. */
export function openToRead(file: string): Database.Database {
  const database = new Database(file, { timeout, readonly: true, fileMustExist: true });
  addFunctions(database);
  return database;
}

/** Writes the log of a database that nobody uses into its file, and removes the log. */
export function writeLog(file: string): void {
  const database = new Database(file, { timeout, fileMustExist: true });
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

function addFunctions(database: Database.Database): void {
  database.function('unicode_lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
}
