import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import type { ApiError } from '../../api-error.ts';
import { storeUnavailable } from '../unavailable.ts';

// Lost connection, shutdown, exhausted resources, standby server, deadlock: try again later.
const unavailable = /^(08|53|57P0|55P03|25006|25P03|40001|40P01|28)/;
const statementTimeout = '57014';

/**
 * Wraps a pool for Kysely. Errors that the request did not cause become `ApiError('STORE_UNAVAILABLE')`. `timeout` makes
 * the error for a statement that took too long.
 */
export function errorMappingPool(
  pool: pg.Pool,
  timeout: (error: unknown) => ApiError = storeUnavailable,
): PostgresPool {
  const throwMapped = (error: unknown): never => {
    if (!isServerError(error)) throw storeUnavailable(error);
    if (error.code === statementTimeout) throw timeout(error);
    throw unavailable.test(error.code) ? storeUnavailable(error) : error;
  };
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(throwMapped);
      let mapped = clients.get(client);
      if (!mapped) {
        mapped = errorMappingClient(client, throwMapped);
        clients.set(client, mapped);
      }
      return mapped;
    },
  };
}

function errorMappingClient(client: pg.PoolClient, throwMapped: (error: unknown) => never): PostgresPoolClient {
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

function isServerError(error: unknown): error is { code: string } {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
  );
}
