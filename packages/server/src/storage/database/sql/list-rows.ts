import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { FilterFields, Page, Query } from '../../../core/filter/page.ts';
import { select } from '../select.ts';
import { hasAnyOf } from './compile-filter.ts';
import type { ListSource } from './list-statement.ts';
import { compileList, isIndexed } from './list-statement.ts';
import type { FoundRow } from './read-batches.ts';
import { readBatches } from './read-batches.ts';

interface Listing extends Omit<ListSource, 'anyOf' | 'conditions'> {
  // The type system does not know the columns, because the table is a run-time value.
  readonly db: Kysely<Record<string, Record<string, unknown>>>;
  readonly fields: FilterFields;
  readonly query: Query;
  /** Conditions in addition to the filter. They name the table `t`. */
  readonly conditions?: ListSource['conditions'];
}

type Total = number | string | null;

/** From this number of rows on, it is faster to read them in the order of an index than to sort them. */
const manyRows = 1_000;

/**
 * Returns one page of a table. One statement counts the rows and finds the ids of the page. The rows are read in batches,
 * when they are needed. A row that is deleted meanwhile is left out, and no row is returned twice.
 */
export async function listRows<Row>(listing: Listing): Promise<Page<Row>> {
  const { db, fields, query, dialect } = listing;
  const selection = select(query, fields);
  const source = { conditions: [], ...listing };
  const { expression, sort, limit, offset } = selection;
  const statement = compileList({ ...source, anyOf: 'search' }, selection);

  const count = async () => {
    const counted = await sql<{ total: Total }>`select ${statement.count} as "total"`.execute(db);
    return Number(counted.rows[0]?.total);
  };
  const isUnknown = !dialect.hasStatistics && expression !== null && hasAnyOf(expression) && isIndexed(sort);
  const total = isUnknown ? await count() : null;
  const isLong = total !== null && total > manyRows;
  const chosen = isLong ? compileList({ ...source, anyOf: 'probe' }, selection) : statement;
  const isCounted = total === null && limit !== 'none';
  const found = (await sql<FoundRow & { total: Total }>`${chosen.page(isCounted)}`.execute(db)).rows;

  const totalCount = async () => {
    const counted = total ?? found[0]?.total ?? null;
    if (counted !== null) return Number(counted);
    return found.length > 0 || offset === 0 ? offset + found.length : await count();
  };
  return {
    batches: selection.isEmpty ? [] : readBatches<Row>(listing, found),
    filterableFields: Object.keys(fields),
    pagination: { limit, offset, totalCount: await totalCount() },
  };
}
