import { sql } from 'kysely';
import { partsOf } from '../core/text/parts-of.ts';
import { inValues } from '../storage/database/sql/select-values.ts';
import type { Entity } from './entity.ts';
import type { AnyRow, ReadSource } from './read.ts';

/** Up to this number of rows, nothing is split. */
const fewRows = 20;

/** Splits rows into parts whose sets have at most 1 MiB together. `longColumns` do not count the bytes of sets. */
export async function splitBySets(
  source: ReadSource,
  { sets }: Entity,
  rows: readonly AnyRow[],
): Promise<readonly (readonly AnyRow[])[]> {
  if (rows.length <= fewRows || sets.length === 0) return [rows];
  const bytes = new Map<unknown, number>();
  const owners = inValues(
    source.sql,
    rows.map(({ id }) => String(id)),
  );
  for (const { table } of sets) {
    const read = await sql<{ ownerId: string; bytes: number | string }>`
      select "ownerId", sum(octet_length("value")) as "bytes" from ${sql.table(table)}
      where "ownerId" in ${owners} group by "ownerId"`.execute(source.db);
    for (const row of read.rows) bytes.set(row.ownerId, (bytes.get(row.ownerId) ?? 0) + Number(row.bytes));
  }
  return partsOf(rows, ({ id }) => new Map([[String(id), bytes.get(id) ?? 0]]));
}
