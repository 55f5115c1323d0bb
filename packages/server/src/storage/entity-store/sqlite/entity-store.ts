import Database from 'better-sqlite3';
import type { Clock } from '../../../core/time/clock.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { ObserveStatement } from '../../database/sql/observe-statements.ts';
import { ListPool } from '../../database/sqlite/list-pool.ts';
import { LogFile } from '../../database/sqlite/log-file.ts';
import { openFile, openToRead } from '../../database/sqlite/open-file.ts';
import { createEntityStore } from '../create-entity-store.ts';
import type { EntityStore, Tables } from '../entity-store.ts';
import { migrate } from '../migrations/migrate.ts';
import { createEntityDatabase } from './entity-database.ts';
import { GroupCommit } from './group-commit.ts';

const maxChangeTime = 10_000;
const maxMigrationTime = 3_600_000;

/**
 * Opens the entity database in a file and brings its schema up to date. Changes that come at the same time share one
 * flush to the disk. Lists run in processes of their own. `observe` gets each statement.
 */
export async function openSqliteEntityStore({
  file,
  clock = systemClock,
  observe,
}: {
  file: string;
  clock?: Clock;
  observe?: ObserveStatement | undefined;
}): Promise<EntityStore> {
  const { writer, reader, log, close } = await openConnections(file);
  const openDatabase = <T>(maxTime: number) => {
    const changes = new GroupCommit(writer, { maxChangeTime: maxTime, flush: () => log.flush() });
    return { changes, db: createEntityDatabase<T>({ writer, reader, changes, observe }) };
  };
  try {
    await migrate(openDatabase<never>(maxMigrationTime).db, { dialect: 'sqlite', clock });
  } catch (error) {
    await close();
    throw error;
  }
  const { changes, db } = openDatabase<Tables>(maxChangeTime);
  const pool = new ListPool<Tables>(file, observe);
  return createEntityStore({
    dialect: 'sqlite',
    db,
    lists: pool.lists,
    violatedUnique,
    async close() {
      await changes.close();
      await pool.close();
      await close();
    },
  });
}

async function openConnections(file: string) {
  const writer = openFile(file);
  const closers: (() => void | Promise<void>)[] = [() => void writer.close()];
  const close = async () => {
    // The last connection writes the log into the file.
    for (const closeOne of closers.toReversed()) await closeOne();
  };
  try {
    const reader = openToRead(file);
    closers.push(() => void reader.close());
    const log = await LogFile.open(writer, file);
    closers.push(() => log.close());
    return { writer, reader, log, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function violatedUnique(error: unknown): string | null {
  if (!(error instanceof Database.SqliteError)) return null;
  if (error.code !== 'SQLITE_CONSTRAINT_UNIQUE' && error.code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') return null;
  // `UNIQUE constraint failed: enrollments.identityId, enrollments.method`
  return /\.([A-Za-z]+)$/.exec(error.message)?.[1] ?? null;
}
