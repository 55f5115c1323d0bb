import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import pg from 'pg';
import type { ControllerOptions } from '../../src/index.ts';
import type { SqlDialect } from '../../src/storage/database/sql/dialect.ts';
import { postgresDialect, sqliteDialect } from '../../src/storage/database/sql/dialect.ts';
import { openFile } from '../../src/storage/database/sqlite/open-file.ts';
import type { EntityStore } from '../../src/storage/entity-store/entity-store.ts';
import { openPostgresEntityStore } from '../../src/storage/entity-store/postgres/entity-store.ts';
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';
import { freshDatabase } from './postgres.ts';

/** An empty database without our tables. */
export interface EmptyDatabase extends AsyncDisposable {
  readonly db: Kysely<never>;
  readonly dialect: SqlDialect;
  /** Type of a text column. */
  readonly text: 'text' | 'text collate "C"';
}

export async function openEmptySqlite(): Promise<EmptyDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'edge-empty-'));
  const database = openFile(join(dir, 'test.db'));
  const db = new Kysely<never>({ dialect: new SqliteDialect({ database }) });
  return {
    ...{ db, dialect: sqliteDialect, text: 'text' },
    async [Symbol.asyncDispose]() {
      await db.destroy();
      rmSync(dir, { recursive: true });
    },
  };
}

export async function openEmptyPostgres(postgresUrl: string): Promise<EmptyDatabase> {
  const pool = new pg.Pool({ connectionString: await freshDatabase(postgresUrl), max: 4 });
  // The server may stop while a connection is still closing.
  pool.on('error', () => undefined);
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  return {
    ...{ db, dialect: postgresDialect, text: 'text collate "C"' },
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

interface OpenedStore extends AsyncDisposable {
  readonly store: EntityStore;
}

/** Entity stores with our tables and no entities besides those of the migrations, on each database. */
export const entityStores: readonly {
  readonly database: string;
  readonly openStore: (postgresUrl: string) => Promise<OpenedStore>;
}[] = [
  {
    database: 'SQLite',
    async openStore() {
      const dir = mkdtempSync(join(tmpdir(), 'edge-entities-'));
      const store = await openSqliteEntityStore({ file: join(dir, 'entities.db') });
      return {
        store,
        async [Symbol.asyncDispose]() {
          await store.close();
          rmSync(dir, { recursive: true });
        },
      };
    },
  },
  {
    database: 'PostgreSQL',
    async openStore(postgresUrl) {
      const store = await openPostgresEntityStore({ url: await freshDatabase(postgresUrl) });
      return { store, [Symbol.asyncDispose]: () => store.close() };
    },
  },
];

/** The entities of a controller that serves, beside it. */
export async function openEntities({ databaseUrl, dataDir = '' }: ControllerOptions): Promise<OpenedStore> {
  const store = databaseUrl
    ? await openPostgresEntityStore({ url: databaseUrl })
    : await openSqliteEntityStore({ file: join(dataDir, 'entities.db') });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
