import type { Kysely } from 'kysely';
import { isoTime } from '../../core/time/clock.ts';
import type { SqlDialect } from '../database/sql/dialect.ts';
import { postgresDialect, sqliteDialect } from '../database/sql/dialect.ts';
import { listRows } from '../database/sql/list-rows.ts';
import type { EntityStore, Tables } from './entity-store.ts';

const dialects: Readonly<Record<'sqlite' | 'postgres', SqlDialect>> = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
};

/** Creates the entity store on an open database. `violatedUnique` depends on the driver. */
export function createEntityStore(driver: {
  dialect: 'sqlite' | 'postgres';
  db: Kysely<Tables>;
  lists: Kysely<Tables>;
  violatedUnique: (error: unknown) => string | null;
  close: () => Promise<void>;
}): EntityStore {
  const { dialect, db, lists } = driver;
  return {
    dialect,
    sql: dialects[dialect],
    db,
    lists,
    transaction: (work) => db.transaction().execute(work),
    list: (request) =>
      listRows({
        db: lists as unknown as Parameters<typeof listRows>[0]['db'],
        dialect: dialects[dialect],
        date: isoTime,
        ...request,
      }),
    violatedUnique: driver.violatedUnique,
    close: driver.close,
  };
}
