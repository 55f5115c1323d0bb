import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Opens or creates a database file that only its owner can read. With `synchronous` `FULL` a commit survives a power
 * failure. With `NORMAL` the last commits may be lost, but the file is not damaged.
 */
export function openFile(file: string, synchronous: 'FULL' | 'NORMAL'): Database.Database {
  closeSync(openSync(file, 'a', 0o600));
  const database = new Database(file, { timeout: 2_000 });
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${synchronous}`);
  database.pragma('foreign_keys = ON');
  database.function('unicode_lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
  return database;
}
