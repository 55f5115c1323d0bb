import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isoTime } from '../../lib/clock.ts';
import type { EntityStore, Tables } from '../entity-store.ts';
import type { SqlDialect } from './dialect.ts';
import { postgresDialect, sqliteDialect } from './dialect.ts';
import { listRows } from './list-rows.ts';

const dialects: Readonly<Record<'sqlite' | 'postgres', SqlDialect>> = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
};

/** Creates the entity store on an open database. `violatedUnique` depends on the driver. */
export function createEntityStore(driver: {
  dialect: 'sqlite' | 'postgres';
  db: Kysely<Tables>;
  violatedUnique: (error: unknown) => string | null;
}): EntityStore {
  const { dialect, db } = driver;
  return {
    dialect,
    db,
    transaction: (work) => db.transaction().execute(work),
    list: ({ table, fields, query, where = {} }) =>
      listRows({
        db: db as unknown as Parameters<typeof listRows>[0]['db'],
        dialect: dialects[dialect],
        date: isoTime,
        table,
        fields,
        query,
        conditions: Object.entries(where).flatMap(([column, value]) =>
          value === undefined ? [] : [sql<boolean>`${sql.ref(column)} = ${value}`],
        ),
      }),
    violatedUnique: driver.violatedUnique,
    close: () => db.destroy(),
  };
}
