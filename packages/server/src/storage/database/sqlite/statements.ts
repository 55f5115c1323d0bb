import type Database from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';

const maxPrepared = 500;

/** Returns a function that prepares each statement once. */
export function createStatements(database: Database.Database): (text: string) => Database.Statement {
  const prepared = new Map<string, Database.Statement>();
  return (text) => {
    let statement = prepared.get(text);
    if (!statement) {
      if (prepared.size >= maxPrepared) prepared.clear();
      statement = database.prepare(text);
      prepared.set(text, statement);
    }
    return statement;
  };
}

/** Runs a statement with the parameters of a query. */
export function runStatement<R>(statement: Database.Statement, { parameters }: CompiledQuery): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(...parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}
