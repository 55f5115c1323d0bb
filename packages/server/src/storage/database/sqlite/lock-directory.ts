import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../../../core/start/start-error.ts';
import { createFile } from './open-file.ts';

/** Held here, because a database that nothing refers to is closed. */
const held = new Set<Database.Database>();

/**
 * Locks the data directory of a lock file for a controller that serves: the database files in it are for one controller
 * alone. The kernel releases the lock when the process ends, however it ends. Returns a function that releases it.
 *
 * @throws StartError when another controller has the lock
 */
export function lockDirectory(file: string): () => void {
  createFile(file);
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    const message = `Another controller uses the data directory ${dirname(file)}`;
    const fix = 'stop the other controller, or give each one its own data directory';
    throw new StartError([{ message, setting: 'dataDir', fix, kind: 'unusable' }]);
  }
  held.add(database);
  return () => {
    held.delete(database);
    database.close();
  };
}
