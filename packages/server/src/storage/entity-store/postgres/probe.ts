import type { QueryExecutorProvider } from 'kysely';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { StoreUnusable } from '../../database/unavailable.ts';
import type { EntityProbe } from '../entity-probe.ts';
import { probeEntities } from '../entity-probe.ts';
import { applicationName, openPool } from './open-pool.ts';

/** What a probe of PostgreSQL shows. Nothing is changed. */
export interface PostgresProbe<T> extends EntityProbe<T> {
  /** `18.4`. */
  readonly version: string;
  readonly encoding: string;
  /** Whether it takes no writes, because it follows another server. */
  readonly isStandby: boolean;
  readonly canCreateTables: boolean;
  /** Milliseconds that its clock is ahead of `clock`. */
  readonly clockDifference: number;
}

interface Server extends Omit<PostgresProbe<unknown>, 'clockDifference' | keyof EntityProbe<unknown>> {
  readonly now: number;
}

/**
 * @param clock returns milliseconds since 1970
 * @throws StoreUnusable when PostgreSQL cannot be used
 */
export async function probePostgres<T>(
  url: string,
  clock: () => number,
  read: (db: QueryExecutorProvider) => Promise<T>,
): Promise<PostgresProbe<T>> {
  const pool = openPool({
    ...{ connectionString: url, max: 1, query_timeout: 6_000, session: { statement_timeout: 5_000 } },
    application_name: `${applicationName}-probe`,
  });
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  try {
    // The first statement connects, which takes time.
    await sql`select 1`.execute(db);
    const before = clock();
    const { rows } = await sql<Server>`
      select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
        pg_is_in_recovery() as "isStandby", extract(epoch from clock_timestamp())::float8 * 1000 as now,
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "canCreateTables"`.execute(db);
    const after = clock();
    const [server] = rows;
    if (!server) throw new Error('PostgreSQL returned no row');
    const { now, ...shown } = server;
    return { ...shown, clockDifference: now - (before + after) / 2, ...(await probeEntities(db, 'postgres', read)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnusable(`PostgreSQL at ${new URL(url).host} cannot be used: ${reason}`, { cause: error });
  } finally {
    await db.destroy();
  }
}
