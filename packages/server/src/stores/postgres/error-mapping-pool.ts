import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { storeUnavailable } from '../unavailable.ts';

// Lost connection, shutdown, exhausted resources, standby server, cancelled statement, deadlock: try again later.
const unavailable = /^(08|53|57P0|57014|55P03|25006|25P03|40001|40P01|28)/;

/** Wraps a pool for Kysely. Errors that the request did not cause become `ApiError('STORE_UNAVAILABLE')`. */
export function errorMappingPool(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(throwMapped);
      let mapped = clients.get(client);
      if (!mapped) {
        mapped = errorMappingClient(client);
        clients.set(client, mapped);
      }
      return mapped;
    },
  };
}

function errorMappingClient(client: pg.PoolClient): PostgresPoolClient {
  let isBroken = false;
  return {
    query: async (text: string, parameters: readonly unknown[]) => {
      try {
        return await client.query(text, [...parameters]);
      } catch (error) {
        // After an error that PostgreSQL did not send, the state of the connection is unknown.
        if (!isServerError(error)) isBroken = true;
        return throwMapped(error);
      }
    },
    release: (destroy?: boolean) => client.release(destroy === true || isBroken),
  } as unknown as PostgresPoolClient;
}

function throwMapped(error: unknown): never {
  throw isServerError(error) && !unavailable.test(error.code) ? error : storeUnavailable(error);
}

function isServerError(error: unknown): error is { code: string } {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
  );
}
