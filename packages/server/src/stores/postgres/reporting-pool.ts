import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { storeUnavailable } from '../unavailable.ts';

// Lost connections, shutdowns, exhausted resources, a standby, a cancelled statement, a deadlock: try again later.
const unavailable = /^(08|53|57P0|57014|55P03|25006|25P03|40001|40P01|28)/;

/** A pool as Kysely drives it, whose errors tell `ApiError('STORE_UNAVAILABLE')` from what the request caused. */
export function reportingPool(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(fail);
      let reporting = clients.get(client);
      if (!reporting) {
        reporting = reportingClient(client);
        clients.set(client, reporting);
      }
      return reporting;
    },
  };
}

function reportingClient(client: pg.PoolClient): PostgresPoolClient {
  let isBroken = false;
  return {
    query: async (text: string, parameters: readonly unknown[]) => {
      try {
        return await client.query(text, [...parameters]);
      } catch (error) {
        // An error that is not the server's answer leaves the connection in an unknown state.
        if (!isAnswer(error)) isBroken = true;
        return fail(error);
      }
    },
    release: (destroy?: boolean) => client.release(destroy === true || isBroken),
  } as unknown as PostgresPoolClient;
}

function fail(error: unknown): never {
  throw isAnswer(error) && !unavailable.test(error.code) ? error : storeUnavailable(error);
}

function isAnswer(error: unknown): error is { code: string } {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
  );
}
