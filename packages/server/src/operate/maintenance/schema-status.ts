import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../../core/config/schema.ts';
import { openDirectory } from '../../core/start/file-problem.ts';
import type { Clock } from '../../core/time/clock.ts';
import { openDatabaseFile } from '../../storage/database/sqlite/database-error.ts';
import type { SchemaStatus } from '../../storage/entity-store/migrations/applied-changes.ts';
import { schemaChanges } from '../../storage/entity-store/migrations/index.ts';
import { lockDataDirectory } from '../../storage/open-stores.ts';

const entitiesFile = 'entities.db';

const nothingMore = async () => null;

/**
 * Reads which migrations the entity database has, and changes nothing. A controller may run meanwhile.
 *
 * @throws StartError when the database cannot be used
 */
export async function readStatus({ databaseUrl, dataDir }: Settings, clock: Clock): Promise<SchemaStatus> {
  if (databaseUrl !== null) {
    const { probePostgres } = await import('../../storage/entity-store/postgres/probe.ts');
    return (await probePostgres(databaseUrl, clock, nothingMore)).schema;
  }
  const file = join(resolve(dataDir), entitiesFile);
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return { applied: [], missing: Object.keys(schemaChanges), unknown: [] };
  const { probeSqlite } = await import('../../storage/entity-store/sqlite/probe.ts');
  return (await openDatabaseFile(file, (path) => probeSqlite(path, nothingMore))).schema;
}

/**
 * Brings the schema of the entity database up to date, as a start does. The file of SQLite must not be in use.
 *
 * @throws StartError when the database cannot be used, or when a newer version of the controller has changed it
 */
export async function migrateEntities({ databaseUrl, dataDir }: Settings, clock: Clock): Promise<void> {
  if (databaseUrl !== null) {
    const { openPostgresEntityStore } = await import('../../storage/entity-store/postgres/entity-store.ts');
    await (await openPostgresEntityStore({ url: databaseUrl, clock })).close();
    return;
  }
  const directory = resolve(dataDir);
  openDirectory(directory);
  const release = await lockDataDirectory(directory);
  try {
    const { openSqliteEntityStore } = await import('../../storage/entity-store/sqlite/entity-store.ts');
    const store = await openDatabaseFile(join(directory, entitiesFile), (file) =>
      openSqliteEntityStore({ file, clock }),
    );
    await store.close();
  } finally {
    release();
  }
}
