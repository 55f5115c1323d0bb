import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import { runCompiled } from '../database/sql/run-compiled.ts';
import { storeUnavailable } from '../database/unavailable.ts';
import type { EntityStore, Tables } from '../entity-store/entity-store.ts';
import type { NewEntry, StoredEntry } from './entry.ts';
import { chain, hashedColumns } from './entry.ts';

const columns = [...hashedColumns, 'hash'] as const;
/** Entries of one statement. Each number of them is a statement of its own. */
const maxRows = 100;

type Head = Pick<StoredEntry, 'sequence' | 'hash'>;

/**
 * Adds entries at the end of the chain. They must be the last statements of their transaction: from here on it holds a lock that
 * everybody needs who adds entries, and who holds it must wait for nobody.
 */
export async function appendEntries(
  { dialect, sql: { forUpdate } }: Pick<EntityStore, 'dialect' | 'sql'>,
  tx: Transaction<Tables>,
  entries: readonly NewEntry[],
): Promise<void> {
  const locked = await runCompiled<Head>(tx, `${dialect} audit head`, {
    compile: () => sql<Head>`select "sequence", "hash" from "auditHead" where "id" = 1 ${forUpdate}`.compile(tx),
    parameters: [],
  });
  const [head] = locked.rows;
  if (!head) throw storeUnavailable(new Error('the audit log has no head: restore the database'));
  const placed = chain(head, entries);
  for (let at = 0; at < placed.length; at += maxRows) await insert(dialect, tx, placed.slice(at, at + maxRows));
  const last = placed.at(-1) ?? head;
  await runCompiled(tx, `${dialect} audit head moves`, {
    compile: () => sql`update "auditHead" set "sequence" = ${0}, "hash" = ${''} where "id" = 1`.compile(tx),
    parameters: [last.sequence, last.hash],
  });
}

async function insert(dialect: string, tx: Transaction<Tables>, rows: readonly StoredEntry[]): Promise<void> {
  const parameters = rows.flatMap((row) => columns.map((column) => row[column]));
  const values = () => rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await runCompiled(tx, `${dialect} audit entries ${rows.length}`, {
    compile: () =>
      sql`insert into "auditLog" (${sql.join(columns.map((column) => sql.ref(column)))})
        values ${sql.join(values())}`.compile(tx),
    parameters,
  });
}
