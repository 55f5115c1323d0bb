import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { SortField } from '../../lib/filter/ast.ts';
import type { FilterFields, Page, Query } from '../page.ts';
import { select } from '../select.ts';
import type { CompileOptions } from './compile-filter.ts';
import { compileFilter } from './compile-filter.ts';

const batchSize = 500;

interface Listing extends CompileOptions {
  // The type system does not know the columns, because the table is a run-time value.
  readonly db: Kysely<Record<string, Record<string, unknown>>>;
  readonly table: string;
  readonly fields: FilterFields;
  readonly query: Query;
  /** Conditions in addition to the filter. */
  readonly conditions?: readonly RawBuilder<boolean>[];
}

/**
 * Returns one page of a table. Without a limit it reads all ids at once and then the rows in batches, when they are
 * needed. A row that is deleted meanwhile is left out, and no row is returned twice.
 */
export async function listRows<Row>(listing: Listing): Promise<Page<Row>> {
  const { db, table, fields, query } = listing;
  const { expression, sort, limit, offset } = select(query, fields);
  const conditions = [...(listing.conditions ?? []), ...(expression ? [compileFilter(expression, listing)] : [])];
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const from = sql`from ${sql.table(table)} ${where}`;
  const order = sql`order by ${sql.join(sort.map(compileSort))}`;

  const counted = await sql<{ total: number | string }>`select count(*) as total ${from}`.execute(db);
  const totalCount = Number(counted.rows[0]?.total ?? 0);
  const page = { filterableFields: Object.keys(fields), pagination: { limit, offset, totalCount } };
  if (limit !== 'none') {
    const read = await sql<Row>`select * ${from} ${order} limit ${limit} offset ${offset}`.execute(db);
    return { ...page, rows: read.rows };
  }
  const all = sql.lit(2_147_483_647);
  const ids = await sql<{ id: string }>`select id ${from} ${order} limit ${all} offset ${offset}`.execute(db);
  return {
    ...page,
    rows: readBatches<Row>(
      listing,
      ids.rows.map(({ id }) => id),
    ),
  };
}

async function* readBatches<Row>({ db, table }: Listing, ids: readonly string[]): AsyncGenerator<Awaited<Row>> {
  for (let at = 0; at < ids.length; at += batchSize) {
    const batch = ids.slice(at, at + batchSize);
    const read = await sql<
      Row & { id: string }
    >`select * from ${sql.table(table)} where id in (${sql.join(batch)})`.execute(db);
    const byId = new Map(read.rows.map((row) => [row.id, row]));
    for (const id of batch) {
      const row = byId.get(id);
      if (row) yield row as Awaited<Row>;
    }
  }
}

const neverNull = new Set(['id', 'createdAt', 'updatedAt', 'name']);

function compileSort({ column, descending }: SortField): RawBuilder<unknown> {
  const value = column === null ? sql`cast(null as text)` : sql.ref(column);
  // PostgreSQL does not use an index when the query sorts nulls in another order than the index.
  if (column !== null && neverNull.has(column)) return descending ? sql`${value} desc` : sql`${value} asc`;
  return descending ? sql`${value} desc nulls last` : sql`${value} asc nulls first`;
}
