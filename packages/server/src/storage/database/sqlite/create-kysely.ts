import type { Driver } from 'kysely';
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { ObserveStatement } from '../sql/observe-statements.ts';
import { observeStatements } from '../sql/observe-statements.ts';

// Kysely assumes one connection, and that SQLite cannot undo a change of the schema. It can.
const supports = { supportsMultipleConnections: { value: true }, supportsTransactionalDdl: { value: true } };

/** Creates a Kysely instance for SQLite with a driver of its own. The driver may have several connections. */
export function createKysely<Tables>(
  driver: Pick<Driver, 'acquireConnection'> & Partial<Driver>,
  observe?: ObserveStatement,
): Kysely<Tables> {
  const adapter = Object.create(new SqliteAdapter(), supports) as SqliteAdapter;
  return new Kysely<Tables>({
    ...observeStatements(observe),
    dialect: {
      createDriver: () => ({
        init: nothing,
        releaseConnection: nothing,
        destroy: nothing,
        beginTransaction: refuse,
        commitTransaction: refuse,
        rollbackTransaction: refuse,
        ...driver,
      }),
      createAdapter: () => adapter,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  });
}

/** For `streamQuery` of a connection: no statement may stay open between two turns of the event loop. */
export async function* refuseStream(): AsyncGenerator<never> {
  yield* [];
  throw new Error('SQLite does not stream: read in pages');
}

async function nothing(): Promise<void> {}

async function refuse(): Promise<never> {
  throw new Error('This connection only reads. Use `EntityStore.transaction`.');
}
