import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { StartError } from '../../../core/start/start-error.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { StoreUnusable } from '../../database/unavailable.ts';
import type { Snapshot } from '../snapshot.ts';
import { inSnapshot } from '../snapshot.ts';
import type { StoredRow, TableShape } from '../table-shape.ts';
import { openPostgresEntityStore } from './entity-store.ts';
import { applicationName, openPool } from './open-pool.ts';

/** Milliseconds that whoever reads or writes the rows may take between two batches. */
const maxPause = 300_000;
/** Milliseconds that connections of a controller may take to end. */
const patience = 1_000;

/** Reads a snapshot of a database while controllers write it. */
export function inPostgresSnapshot<T>(url: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return withDatabase(url, (db) => inSnapshot(db, 'postgres', work));
}

/**
 * Brings the schema of a database up to date, and replaces all its rows by those of the snapshot in one transaction.
 *
 * @param replaces false: a database that has identities is refused
 * @throws StartError when a controller uses the database, or when it is refused
 */
export async function replaceRows(
  url: string,
  snapshot: Snapshot,
  { replaces, clock }: { replaces: boolean; clock: Clock },
): Promise<void> {
  await withDatabase(url, async (db) => {
    await refuseInUse(db);
    const { rows } = await sql`select 1 where to_regclass('identities') is not null`.execute(db);
    if (rows.length > 0 && !replaces) await refuseFull(db, url);
  });
  const store = await openPostgresEntityStore({ url, clock });
  await store.close();
  await withDatabase(url, (db) =>
    db.transaction().execute(async (tx) => {
      const names = snapshot.tables.map(({ name }) => sql.table(name));
      await sql`lock table ${sql.join(names)} in access exclusive mode`.execute(tx);
      if (!replaces) await refuseFull(tx, url);
      await sql`truncate ${sql.join(names)}`.execute(tx);
      for (const table of snapshot.tables) {
        for await (const batch of snapshot.rows(table)) await insert(tx, table, batch);
      }
      await continueSerials(tx);
    }),
  );
}

/** All rows are one parameter, which PostgreSQL takes apart. */
async function insert(db: Kysely<never>, { name, columns }: TableShape, rows: readonly StoredRow[]): Promise<void> {
  const table = sql.table(name);
  const list = sql.join(columns.map((column) => sql.ref(column.name)));
  await sql`insert into ${table} (${list}) overriding system value
    select ${list} from json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::json)`.execute(db);
}

/** The next id that the database counts up must be a new one. */
async function continueSerials(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = current_schema() and is_identity = 'YES'`.execute(db);
  for (const { table, column } of rows) {
    await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, ${column}), max(${sql.ref(column)}))
      from ${sql.table(table)} having max(${sql.ref(column)}) is not null`.execute(db);
  }
}

async function withDatabase<T>(url: string, work: (db: Kysely<never>) => Promise<T>): Promise<T> {
  const pool = openPool({
    ...{ connectionString: url, max: 1, session: { idle_in_transaction_session_timeout: maxPause } },
    application_name: `${applicationName}-copy`,
  });
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(db);
  } catch (error) {
    throw databaseError(url, error);
  } finally {
    await db.destroy();
  }
}

/** A refused row is told by its code alone, because the message may have a value. */
function databaseError(url: string, error: unknown): unknown {
  const { host } = new URL(url);
  if (error instanceof pg.DatabaseError && !/^(08|28|3D|53|57)/.test(error.code ?? '')) {
    const message = `PostgreSQL at ${host} refuses the rows (${error.code}${error.table ? `, table ${error.table}` : ''})`;
    const fix = 'nothing was changed: use another backup or export';
    return new StartError([{ message, setting: null, fix, kind: 'wrong' }], { cause: error });
  }
  if (!(error instanceof pg.DatabaseError) && !isOfConnection(error)) return error;
  return new StoreUnusable(`PostgreSQL at ${host} cannot be used: ${error.message}`, { cause: error });
}

/** The errors of files have codes, too. */
function isOfConnection(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (
    /^(ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|EHOST|ENET|EAI_)/.test(code) || /^(Connection terminated|timeout)/.test(message)
  );
}

async function refuseInUse(db: Kysely<never>): Promise<void> {
  // PostgreSQL may see the end of a controller a moment later.
  for (const giveUpAt = performance.now() + patience; performance.now() < giveUpAt; await sleep(100)) {
    const { rows } = await sql`
      select 1 from pg_stat_activity
        where datname = current_database() and application_name = ${applicationName} limit 1`.execute(db);
    if (rows.length === 0) return;
  }
  const message = 'A controller uses the database';
  const fix = 'stop all controllers that use it, then try again';
  throw new StartError([{ message, setting: null, fix, kind: 'unusable' }]);
}

async function refuseFull(db: Kysely<never>, url: string): Promise<void> {
  const { rows } = await sql`select 1 from "identities" limit 1`.execute(db);
  if (rows.length === 0) return;
  const { host, pathname } = new URL(url);
  const message = `The database ${pathname.slice(1)} on ${host} is not empty: it has identities`;
  const fix = 'use an empty database, or add --replace, which removes all that it has';
  throw new StartError([{ message, setting: null, fix, kind: 'wrong' }]);
}
