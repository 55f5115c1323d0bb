import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { StoredRow, TableShape } from './table-shape.ts';

const firstBatch = 50;
const maxBatch = 1_000;
/** Characters of a batch, about. */
const batchSize = 2 ** 20;

/** The rows of a table in the order of its key. The size of a row decides how many the next batch has. */
export async function* readRows(
  db: Kysely<never>,
  { name, columns, key }: TableShape,
): AsyncGenerator<readonly StoredRow[]> {
  const list = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(column)));
  const selected = list(columns.map((column) => column.name));
  let beyond = sql``;
  for (let limit = firstBatch; ; ) {
    const { rows } = await sql<StoredRow>`
      select ${selected} from ${sql.table(name)} ${beyond} order by ${list(key)} limit ${limit}`.execute(db);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (rows.length < limit || !last) return;
    beyond = sql`where (${list(key)}) > (${sql.join(key.map((column) => last[column]))})`;
    limit = nextLimit(rows);
  }
}

function nextLimit(rows: readonly StoredRow[]): number {
  let size = 0;
  for (const row of rows) for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : 8;
  return Math.max(1, Math.min(maxBatch, Math.floor((rows.length * batchSize) / size)));
}
