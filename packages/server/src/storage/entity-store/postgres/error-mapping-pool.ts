import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { ApiError } from '../../../core/api-error.ts';
import { preparedName } from '../../database/sql/run-compiled.ts';
import { storeUnavailable } from '../../database/unavailable.ts';

// Lost connection, shutdown, exhausted resources, I/O error, corrupt data, standby server, deadlock: try again later.
const unavailable = /^(08|53|57P|58|XX|55P03|25006|25P0[34]|40001|40P01)/;
// PostgreSQL closes the connection after these.
const closing = /^(08|57P|25P0[34])/;
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
      const client = await pool.connect().catch((error) => {
        throw storeUnavailable(error);
      });
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
      // Kysely sends ROLLBACK after an error. A connection that does not reply would block the request once more.
      if (isBroken) throw storeUnavailable(new Error('the connection is broken'));
      try {
        return await client.query({ name: preparedName(text), text, values: [...parameters] });
      } catch (error) {
        // After an error that PostgreSQL did not send, the state of the connection is unknown.
        if (!isServerError(error) || closing.test(error.code)) isBroken = true;
        return throwMapped(error);
      }
    },
    release: (destroy?: boolean) => client.release(destroy === true || isBroken),
  } as unknown as PostgresPoolClient;
}

/** Errors of the system have a `code`, too, and `EPIPE` has the form of an SQLSTATE. */
function isServerError(error: unknown): error is pg.DatabaseError & { code: string } {
  return error instanceof pg.DatabaseError && error.code !== undefined;
}
