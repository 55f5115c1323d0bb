import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { SortField } from '../../../core/filter/ast.ts';
import type { PageSelection } from '../../../core/filter/paging.ts';
import type { CompileOptions } from './compile-filter.ts';
import { compileFilter, countOwners } from './compile-filter.ts';
import type { RowSource } from './row-source.ts';
import { createRowSource } from './row-source.ts';

type Sql = RawBuilder<unknown>;

/** What a list statement needs besides the selection. */
export interface ListSource extends Omit<CompileOptions, 'rows'> {
  readonly table: string;
  readonly conditions: readonly RawBuilder<boolean>[];
  /** Text columns that can be long. Their bytes bound a batch. */
  readonly longColumns: readonly string[];
}

/** The statements of a list. */
export interface ListStatement {
  /** A sub-select: the number of rows that match. */
  readonly count: Sql;
  /** Selects `id` and `bytes` of the rows of the page, and as `total` how many rows match, if they are counted. */
  readonly page: (isCounted: boolean) => Sql;
}

export function compileList(source: ListSource, { expression, sort, limit, offset }: PageSelection): ListStatement {
  const { table, dialect, longColumns, conditions: others } = source;
  const options = { ...source, rows: createRowSource({ table, alias: 't', dialect }) };
  const { rows } = options;
  const conditions = expression ? [...others, compileFilter(expression, options)] : others;
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const owners = expression && others.length === 0 ? countOwners(expression, options) : null;
  const count = owners ?? sql`(select count(*) from ${rows.tables()} ${where})`;
  const order = sql.join(sort.map((field) => compileSort(field, rows)));
  const last = limit === 'none' ? sql.lit(2_147_483_647) : limit;
  const bytes = longColumns.map((column) => sql`coalesce(octet_length(${sql.ref(`long.${column}`)}), 0)`);
  const length = sql`(select ${sql.join([sql.lit(0), ...bytes], sql` + `)}
    from ${sql.table(table)} as "long" where ${sql.ref('long.id')} = ${sql.ref('found.id')})`;
  const page = (isCounted: boolean) => {
    // Such conditions read all rows that match, so they are counted then and not once more.
    const isCountedThere = isCounted && others.length > 0;
    const found = sql`select ${rows.column('id')} as "id"${isCountedThere ? sql`, count(*) over () as "total"` : sql``}
      from ${rows.tables()} ${where} order by ${order} limit ${last} offset ${offset}`;
    const total = isCountedThere ? sql.ref('found.total') : count;
    // The length is outside of `found`, so that an index alone can find the page. Both databases keep the order of `found`.
    return sql`select ${sql.ref('found.id')}, ${length} as "bytes", ${isCounted ? total : sql.lit(null)} as "total"
      from (${found}) as "found"`;
  };
  return { count, page };
}

const neverNull = new Set(['id', 'createdAt', 'updatedAt', 'name']);
const indexed = new Set(['id', 'createdAt', 'name']);

/** Returns whether an index has the rows in this order. */
export function isIndexed([first]: readonly SortField[]): boolean {
  return first !== undefined && indexed.has(ownColumn(first) ?? '');
}

function ownColumn({ column, path, through }: SortField): string | null {
  return path || through ? null : column;
}

function compileSort(field: SortField, rows: RowSource): Sql {
  const value = rows.value(field.type, field);
  // PostgreSQL does not use an index when the query sorts nulls in another order than the index.
  if (neverNull.has(ownColumn(field) ?? '')) return field.descending ? sql`${value} desc` : sql`${value} asc`;
  return field.descending ? sql`${value} desc nulls last` : sql`${value} asc nulls first`;
}
