import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import { inValues } from './select-values.ts';

const maxRows = 500;
const maxBytes = 1_048_576;

/** A row that a list found: its id and the bytes of its long columns. */
export interface FoundRow {
  readonly id: string;
  readonly bytes: number;
}

/**
 * Reads rows by their ids in batches of at most 500 rows and 1 MiB. A longer row has its own batch. Rows that no longer
 * exist are left out.
 */
export function readBatches<Row>(
  source: { db: Kysely<Record<string, Record<string, unknown>>>; dialect: SqlDialect; table: string },
  found: readonly FoundRow[],
): AsyncGenerator<readonly Row[]> {
  // Only ids and boundaries are kept while a client reads a long list.
  return read(
    source,
    found.map(({ id }) => id),
    boundaries(found),
  );
}

async function* read<Row>(
  { db, dialect, table }: { db: Kysely<Record<string, Record<string, unknown>>>; dialect: SqlDialect; table: string },
  ids: readonly string[],
  ends: readonly number[],
): AsyncGenerator<readonly Row[]> {
  let start = 0;
  for (const end of ends) {
    const batch = ids.slice(start, end);
    start = end;
    const result = await sql<Row & { id: string }>`
      select * from ${sql.table(table)} where ${sql.ref('id')} in ${inValues(dialect, batch)}`.execute(db);
    const byId = new Map(result.rows.map((row) => [row.id, row]));
    yield batch.flatMap((id) => byId.get(id) ?? []);
  }
}

/** Returns the end of each batch. */
export function boundaries(found: readonly Pick<FoundRow, 'bytes'>[]): readonly number[] {
  const ends: number[] = [];
  let start = 0;
  let bytes = 0;
  for (const [at, row] of found.entries()) {
    if (at > start && (at - start >= maxRows || bytes + row.bytes > maxBytes)) {
      ends.push(at);
      start = at;
      bytes = 0;
    }
    bytes += row.bytes;
  }
  return found.length === 0 ? ends : [...ends, found.length];
}
