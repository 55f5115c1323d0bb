import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { SortField } from '../../lib/filter/ast.ts';
import type { FilterFields, Page, Query } from '../page.ts';
import { select } from '../select.ts';
import type { Compilation } from './compile-filter.ts';
import { compileFilter } from './compile-filter.ts';

const pieceLength = 500;

interface Listing extends Compilation {
  // The table is a value here, so that its columns are not known to the type system.
  readonly db: Kysely<Record<string, Record<string, unknown>>>;
  readonly table: string;
  readonly fields: FilterFields;
  readonly query: Query;
  /** Conditions beside the filter. */
  readonly conditions?: readonly RawBuilder<boolean>[];
}

/**
 * One page of a table. Without a limit only the ids are read at once, the rows follow in pieces as they are asked for: a
 * row deleted meanwhile is left out, none comes twice.
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
    rows: readPieces<Row>(
      listing,
      ids.rows.map(({ id }) => id),
    ),
  };
}

async function* readPieces<Row>({ db, table }: Listing, ids: readonly string[]): AsyncGenerator<Awaited<Row>> {
  for (let at = 0; at < ids.length; at += pieceLength) {
    const piece = ids.slice(at, at + pieceLength);
    const read = await sql<
      Row & { id: string }
    >`select * from ${sql.table(table)} where id in (${sql.join(piece)})`.execute(db);
    const byId = new Map(read.rows.map((row) => [row.id, row]));
    for (const id of piece) {
      const row = byId.get(id);
      if (row) yield row as Awaited<Row>;
    }
  }
}

const neverNull = new Set(['id', 'createdAt', 'updatedAt', 'name']);

function compileSort({ column, descending }: SortField): RawBuilder<unknown> {
  const value = column === null ? sql`cast(null as text)` : sql.ref(column);
  // PostgreSQL uses no index for an order of nulls that the index does not have.
  if (column !== null && neverNull.has(column)) return descending ? sql`${value} desc` : sql`${value} asc`;
  return descending ? sql`${value} desc nulls last` : sql`${value} asc nulls first`;
}
