import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import { systemClock } from '../../lib/clock.ts';
import type { EntityStore, Tables } from '../entity-store.ts';
import { migrate } from '../migrations.ts';
import { createEntityStore } from '../sql/entity-store.ts';
import { kyselyDatabase } from './kysely-database.ts';
import { openFile } from './open-file.ts';

/**
 * Opens the entity database in a file and brings its schema up to date. It has one connection, so statements outside a
 * running transaction wait for its end. Code inside a transaction must therefore use its `tx` only.
 */
export async function openSqliteEntityStore({
  file,
  clock = systemClock,
}: {
  file: string;
  clock?: Clock;
}): Promise<EntityStore> {
  const database = openFile(file, 'FULL');
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: kyselyDatabase(database) }) });
  try {
    await migrate(db as unknown as Kysely<never>, 'sqlite', clock);
  } catch (error) {
    database.close();
    throw error;
  }
  return createEntityStore({ dialect: 'sqlite', db, violatedUnique });
}

function violatedUnique(error: unknown): string | null {
  if (!(error instanceof Database.SqliteError)) return null;
  if (error.code !== 'SQLITE_CONSTRAINT_UNIQUE' && error.code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') return null;
  // `UNIQUE constraint failed: enrollments.identityId, enrollments.method`
  return /\.([A-Za-z]+)$/.exec(error.message)?.[1] ?? null;
}
