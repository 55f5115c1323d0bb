import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawBuilder } from 'kysely';
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely';
import pg from 'pg';
import type { FilterRows } from '../../src/core/filter/evaluate.ts';
import type { SqlDialect } from '../../src/storage/database/sql/dialect.ts';
import { postgresDialect, sqliteDialect } from '../../src/storage/database/sql/dialect.ts';
import { openFile } from '../../src/storage/database/sqlite/open-file.ts';
import { freshDatabase } from './postgres.ts';

type Database = Kysely<Record<string, Record<string, unknown>>>;

/** A database with the tables of `filter-data.ts`. */
export interface FilterTables extends AsyncDisposable {
  readonly db: Database;
  readonly dialect: SqlDialect;
  insert(tables: FilterRows): Promise<void>;
}

export async function openSqliteTables(): Promise<FilterTables> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-lists-'));
  const database = openFile(join(folder, 'lists.db'));
  const db: Database = new Kysely({ dialect: new SqliteDialect({ database }) });
  await createTables(db, sql`text`);
  return {
    ...{ db, dialect: sqliteDialect, insert: (tables) => insert(db, tables) },
    async [Symbol.asyncDispose]() {
      await db.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function openPostgresTables(postgresUrl: string): Promise<FilterTables> {
  const pool = new pg.Pool({ connectionString: await freshDatabase(postgresUrl), max: 8 });
  const db: Database = new Kysely({ dialect: new PostgresDialect({ pool }) });
  await createTables(db, sql`text collate "C"`);
  return {
    ...{ db, dialect: postgresDialect, insert: (tables) => insert(db, tables) },
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

async function createTables(db: Database, text: RawBuilder<unknown>): Promise<void> {
  const set = sql`("ownerId" ${text} not null, "value" ${text} not null, primary key ("value", "ownerId"))`;
  await sql`create table "owners" ("id" ${text} primary key, "text" ${text}, "cost" integer, "bossId" ${text},
    "rules" ${text} not null)`.execute(db);
  await sql`create table "things" ("id" ${text} primary key, "text" ${text}, "cost" integer, "ownerId" ${text},
    "flag" integer not null, "createdAt" ${text} not null, "at" ${text}, "tags" ${text} not null,
    "rules" ${text} not null)`.execute(db);
  await sql`create table "things_words" ${set}`.execute(db);
  await sql`create table "things_owners" ${set}`.execute(db);
}

async function insert(db: Database, tables: FilterRows): Promise<void> {
  for (const [table, rows] of Object.entries(tables)) {
    for (let at = 0; at < rows.length; at += 100) {
      await db
        .insertInto(table)
        .values(rows.slice(at, at + 100))
        .execute();
    }
  }
}
