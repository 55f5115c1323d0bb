import { Kysely, SqliteDialect } from 'kysely';
import { createFile, openToRead } from '../../database/sqlite/open-file.ts';
import type { Snapshot } from '../snapshot.ts';
import { inSnapshot } from '../snapshot.ts';

/** Reads a snapshot of a file while a controller writes it. */
export async function inSqliteSnapshot<T>(file: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const db = new Kysely<never>({ dialect: new SqliteDialect({ database: openToRead(file) }) });
  try {
    return await inSnapshot(db, 'sqlite', work);
  } finally {
    await db.destroy();
  }
}

/**
 * Copies an entity database into a new file while a controller writes it: everything that was committed when the copy began.
 * It is `VACUUM INTO`, which reads one snapshot. The backup interface of SQLite would begin again at each change of another process.
 */
export function copyDatabase(file: string, copy: string): void {
  createFile(copy);
  const database = openToRead(file);
  try {
    database.prepare('vacuum into ?').run(copy);
  } finally {
    database.close();
  }
}
