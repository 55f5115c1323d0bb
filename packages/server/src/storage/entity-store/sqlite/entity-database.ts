import type Database from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from 'kysely';
import type { ObserveStatement } from '../../database/sql/observe-statements.ts';
import { createKysely, refuseStream } from '../../database/sqlite/create-kysely.ts';
import { mapErrors } from '../../database/sqlite/errors.ts';
import { createStatements, runStatement } from '../../database/sqlite/statements.ts';
import type { GroupCommit, GroupedChange } from './group-commit.ts';

interface Options {
  readonly writer: Database.Database;
  readonly reader: Database.Database;
  readonly changes: GroupCommit;
  /** Gets each statement. */
  readonly observe?: ObserveStatement | undefined;
}

/**
 * Creates the Kysely instance of a file with two connections. All statements of a transaction use `writer`. Outside of a
 * transaction, a statement that reads uses `reader`: it sees only committed changes and never waits. A statement that
 * writes is a change of its own.
 */
export function createEntityDatabase<Tables>({ writer, reader, changes, observe }: Options): Kysely<Tables> {
  const toWrite = createStatements(writer);
  const toRead = createStatements(reader);
  const running = new WeakMap<DatabaseConnection, GroupedChange>();

  const runIn = <R>(change: GroupedChange, query: CompiledQuery): QueryResult<R> =>
    change.run(() => runStatement<R>(toWrite(query.sql), query));

  const runAsChange = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    const change = await changes.begin();
    try {
      const result = runIn<R>(change, query);
      await change.commit();
      return result;
    } catch (error) {
      await change.rollback();
      throw error;
    }
  };

  return createKysely<Tables>(
    {
      async acquireConnection() {
        const connection: DatabaseConnection = {
          async executeQuery<R>(query: CompiledQuery) {
            const change = running.get(connection);
            if (change) return runIn<R>(change, query);
            const statement = mapErrors(() => toRead(query.sql));
            if (!statement.readonly) return runAsChange<R>(query);
            if (!statement.reader) throw new Error(`"${query.sql}" neither reads nor changes rows`);
            return mapErrors(() => runStatement<R>(statement, query));
          },
          streamQuery: refuseStream,
        };
        return connection;
      },
      async beginTransaction(connection) {
        running.set(connection, await changes.begin());
      },
      async commitTransaction(connection) {
        await running.get(connection)?.commit();
        running.delete(connection);
      },
      async rollbackTransaction(connection) {
        await running.get(connection)?.rollback();
        running.delete(connection);
      },
    },
    observe,
  );
}
