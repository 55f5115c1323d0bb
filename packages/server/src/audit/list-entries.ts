import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { SortField } from '../core/filter/ast.ts';
import type { FilterFields, Page, Query } from '../core/filter/page.ts';
import { isoTime } from '../core/time/clock.ts';
import { select } from '../storage/database/select.ts';
import { compileFilter } from '../storage/database/sql/compile-filter.ts';
import { boundaries } from '../storage/database/sql/read-batches.ts';
import type { RowSource } from '../storage/database/sql/row-source.ts';
import { createRowSource } from '../storage/database/sql/row-source.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { StoredEntry } from './entry.ts';

const fields: FilterFields = {
  sequence: { column: 'sequence', type: 'number' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  event: { column: 'event', type: 'string' },
  outcome: { column: 'outcome', type: 'string' },
  identityId: { column: 'identityId', type: 'string' },
  entityType: { column: 'entityType', type: 'string' },
  entityId: { column: 'entityId', type: 'string' },
  ipAddress: { column: 'ipAddress', type: 'string' },
  requestId: { column: 'requestId', type: 'string' },
};

const maxLimit = 500;
/** Most rows behind a page that are counted. A log has millions of rows, and no client needs the exact number. */
const maxCounted = 10_000;

interface Found {
  readonly sequence: number;
  readonly bytes: number;
}

/**
 * Returns one page of the log, the newest entries first unless `sort` says otherwise. Of the rows that match a filter,
 * `totalCount` counts those up to the page and at most 10,000 behind it. `limit`: at most 500, also when all are asked for.
 *
 * @throws ApiError `INVALID_FILTER`, `INVALID_SORT_IDENTIFIER`; `TIMEOUT` when the statement takes longer than 2 seconds
 */
export async function listEntries(store: EntityStore, query: Query): Promise<Page<StoredEntry>> {
  const selection = select(query, fields);
  const { expression, offset, isEmpty } = selection;
  const limit = selection.limit === 'none' ? maxLimit : selection.limit;
  const rows = createRowSource({ table: 'auditLog', alias: 't', dialect: store.sql });
  const options = { rows, dialect: store.sql, date: isoTime, anyOf: 'search' } as const;
  const where = expression ? sql`where ${compileFilter(expression, options)}` : sql``;
  const { rows: found } = await sql<Found>`
    select ${rows.column('sequence')} as "sequence", octet_length(${rows.column('details')}) as "bytes"
    from ${rows.tables()} ${where} order by ${orderBy(selection.sort, rows)} limit ${limit} offset ${offset}`.execute(
    store.lists,
  );
  const isLast = found.length < limit && (found.length > 0 || offset === 0);
  const counted = expression ? countUpTo(rows.tables(), where, offset + limit + maxCounted) : countAll;
  const totalCount = isLast ? offset + found.length : await readCount(store, counted);
  return {
    batches: isEmpty ? [] : readEntries(store, found),
    filterableFields: Object.keys(fields),
    pagination: { limit, offset, totalCount },
  };
}

function orderBy(sort: readonly SortField[], rows: RowSource): RawBuilder<unknown> {
  // The last field of a selection is the id, which entries do not have.
  const chosen = sort.slice(0, -1).map((field) => {
    const value = rows.value(field.type, field);
    return field.descending ? sql`${value} desc` : sql`${value} asc`;
  });
  const newestFirst = ['createdAt', 'sequence'].map((column) => sql`${rows.column(column)} desc`);
  return sql.join(chosen.length === 0 ? newestFirst : [...chosen, ...newestFirst.slice(1)]);
}

/** Entries have no gaps. */
const countAll = sql`select (select "sequence" from "auditHead")
  - coalesce((select min("sequence") - 1 from "auditLog"), (select "sequence" from "auditHead")) as "total"`;

function countUpTo(tables: RawBuilder<unknown>, where: RawBuilder<unknown>, most: number): RawBuilder<unknown> {
  return sql`select count(*) as "total" from (select 1 from ${tables} ${where} limit ${most}) as "counted"`;
}

async function readCount({ lists }: EntityStore, count: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number | string }>`${count}`.execute(lists);
  return Number(rows[0]?.total);
}

/** The rows of a page in batches of bounded size. Those that are removed meanwhile are left out. */
async function* readEntries({ db }: EntityStore, found: readonly Found[]): AsyncGenerator<readonly StoredEntry[]> {
  let start = 0;
  for (const end of boundaries(found)) {
    const sequences = found.slice(start, end).map(({ sequence }) => sequence);
    start = end;
    const rows = await db.selectFrom('auditLog').selectAll().where('sequence', 'in', sequences).execute();
    const bySequence = new Map(rows.map((row) => [row.sequence, row]));
    yield sequences.flatMap((sequence) => bySequence.get(sequence) ?? []);
  }
}
