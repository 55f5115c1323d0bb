import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Clock } from '../../../core/time/clock.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { NewerSchema } from '../../database/newer-schema.ts';
import type { ObserveStatement } from '../../database/sql/observe-statements.ts';
import { observeStatements } from '../../database/sql/observe-statements.ts';
import { listTimeout, StoreUnusable } from '../../database/unavailable.ts';
import { createEntityStore } from '../create-entity-store.ts';
import type { EntityStore, Tables } from '../entity-store.ts';
import { migrate } from '../migrations/migrate.ts';
import { errorMappingPool } from './error-mapping-pool.ts';
import { openPool } from './open-pool.ts';

const uniqueViolation = '23505';

/**
 * Opens the entity database on PostgreSQL and brings its schema up to date. A statement may take 2 seconds, and so may a
 * new connection. When PostgreSQL fails, every statement throws `ApiError('STORE_UNAVAILABLE')`. New connections are made
 * when they are needed, so the store works again as soon as PostgreSQL does. `observe` gets each statement.
 *
 * @throws StoreUnusable when PostgreSQL cannot be reached or the schema cannot be updated
 */
export async function openPostgresEntityStore({
  url,
  clock = systemClock,
  observe,
}: {
  url: string;
  clock?: Clock;
  observe?: ObserveStatement | undefined;
}): Promise<EntityStore> {
  await migrateOnce(url, clock);
  const pool = openPool({
    ...{ connectionString: url, query_timeout: 2_500, max: 10 },
    // Parallel workers read far beyond the limit of a page.
    session: { statement_timeout: 2_000, max_parallel_workers_per_gather: 0 },
  });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: errorMappingPool(pool) }),
    ...observeStatements(observe),
  });
  const lists = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: errorMappingPool(pool, (origin) => listTimeout({ origin })) }),
    ...observeStatements(observe),
  });
  return createEntityStore({ dialect: 'postgres', db, lists, violatedUnique, close: () => pool.end() });
}

/**
 * A migration, or the wait for another replica, may take long. So its statements have no time limit, and a second
 * connection checks every second that PostgreSQL still replies.
 */
async function migrateOnce(url: string, clock: Clock): Promise<void> {
  const pool = openPool({ connectionString: url, max: 2, session: { idle_in_transaction_session_timeout: 10_000 } });
  const clients = new Set<pg.PoolClient>();
  pool.on('connect', (client) => clients.add(client));
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  const finished = new AbortController();
  try {
    await Promise.race([migrate(db, { dialect: 'postgres', clock }), failWhenSilent(pool, finished.signal)]);
  } catch (error) {
    // The migration may wait for a reply that never comes.
    for (const client of clients) client.connection.stream.destroy();
    const { host } = new URL(url);
    throw new StoreUnusable(`PostgreSQL at ${host} cannot be used: ${reason(error)}`, { cause: error });
  } finally {
    finished.abort();
    await pool.end();
  }
}

/** Rejects when PostgreSQL does not reply for 5 seconds, or when the signal is aborted. */
async function failWhenSilent(pool: pg.Pool, signal: AbortSignal): Promise<never> {
  const ping = { text: 'select 1', query_timeout: 5_000 };
  for (;;) {
    await sleep(1_000, undefined, { signal });
    await pool.query(ping);
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error instanceof NewerSchema) return `${error.message}; ${error.fix}`;
  return error.message || ('code' in error ? String(error.code) : error.name);
}

function violatedUnique(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== uniqueViolation) return null;
  if (error.constraint?.endsWith('_pkey')) return 'id';
  // Unique indexes are named `<table>_<columns>_unique`.
  return /_([A-Za-z]+)_unique$/.exec(error.constraint ?? '')?.[1] ?? null;
}
