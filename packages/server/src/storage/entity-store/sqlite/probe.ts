import type { QueryExecutorProvider } from 'kysely';
import { Kysely, SqliteDialect } from 'kysely';
import { openToRead } from '../../database/sqlite/open-file.ts';
import type { EntityProbe } from '../entity-probe.ts';
import { probeEntities } from '../entity-probe.ts';

/** Looks at an entity database in a file, which a controller may use. */
export async function probeSqlite<T>(
  file: string,
  read: (db: QueryExecutorProvider) => Promise<T>,
): Promise<EntityProbe<T>> {
  const db = new Kysely<never>({ dialect: new SqliteDialect({ database: openToRead(file) }) });
  try {
    return await probeEntities(db, 'sqlite', read);
  } finally {
    await db.destroy();
  }
}
