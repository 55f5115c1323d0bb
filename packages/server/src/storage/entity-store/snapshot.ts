import type { Kysely, Transaction } from 'kysely';
import { readAppliedChanges } from './migrations/applied-changes.ts';
import { readRows } from './read-rows.ts';
import { describeTables } from './sqlite/describe-tables.ts';
import type { StoredRow, TableShape } from './table-shape.ts';

/** All rows of an entity database at one moment. */
export interface Snapshot {
  /** The names of the migrations that the database has. */
  readonly changes: readonly string[];
  /** Each table comes after the tables that it refers to. */
  readonly tables: readonly TableShape[];
  /** The rows of a table in the order of its key, in batches of about 1 MiB. */
  readonly rows: (table: TableShape) => AsyncIterable<readonly StoredRow[]>;
}

/**
 * Reads a snapshot while others write. `work` sees what was committed before its first read, and nothing later.
 *
 * @throws NewerSchema when the database has migrations that this version does not know
 * @throws StartError when the database has none at all
 */
export function inSnapshot<T>(
  db: Kysely<never>,
  dialect: 'sqlite' | 'postgres',
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const read = async (tx: Transaction<never>) => {
    const changes = await readAppliedChanges(tx, dialect);
    return work({ changes, tables: await describeTables(changes), rows: (table) => readRows(tx, table) });
  };
  // A transaction of SQLite is a snapshot without saying so.
  if (dialect === 'sqlite') return db.transaction().execute(read);
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}
