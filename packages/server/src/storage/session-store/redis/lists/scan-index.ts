import type { Expression } from '../../../../core/filter/ast.ts';
import type { FilterRow } from '../../../../core/filter/evaluate.ts';
import { compareRows, evaluate } from '../../../../core/filter/evaluate.ts';
import type { PageSelection } from '../../../../core/filter/paging.ts';
import type { Member } from '../keys.ts';
import { batchSize } from '../session-index.ts';
import { createFirstRows } from './first-rows.ts';
import type { ListDeadline } from './list-deadline.ts';

/** A page before it is read from the store. */
export interface FoundMembers<Session> {
  readonly totalCount: number;
  readonly batches: Iterable<readonly Session[]> | AsyncIterable<readonly Session[]>;
}

/** A member of an index, with what the filter and the order need to know of it. */
export type MemberRow = FilterRow & Member;

interface Scan<Session> {
  readonly selection: PageSelection;
  readonly deadline: ListDeadline;
  /** The members of the index in the order of their ids, in batches; descending if the selection wants that. */
  readonly members: AsyncIterable<readonly Member[]>;
  /** Leaves out what does not exist. */
  readonly readRows: (members: readonly Member[]) => Promise<readonly MemberRow[]>;
  /** Reads the page. */
  readonly load: (members: readonly Member[]) => Promise<readonly Session[]>;
}

/**
 * Selects by a filter and in an order that no index has. It reads all members of an index in batches, and keeps only the ids and
 * sort columns of those that may be on the page.
 *
 * @throws ApiError `TIMEOUT` when the time is over
 */
export async function scanIndex<Session>(scan: Scan<Session>): Promise<FoundMembers<Session>> {
  const { selection, deadline, members, readRows, load } = scan;
  const { expression, sort, limit, offset } = selection;
  const isInOrderOfIds = sort[0]?.column === 'id';
  const first = createFirstRows<MemberRow>({
    length: limit === 'none' ? Number.POSITIVE_INFINITY : offset + limit,
    compare: isInOrderOfIds ? () => 0 : (left, right) => compareRows(sort, left, right),
    checkTime: deadline.check,
  });
  const sortColumns = sort.flatMap(({ column }) => (column === null ? [] : [column]));

  for await (const rows of ahead(members, readRows)) {
    deadline.check();
    const matches = expression === null ? rows : rows.filter((row) => evaluate(expression, row));
    await first.add(matches.map((row) => keptOf(row, sortColumns)));
  }
  const { rows, totalCount } = await first.end();
  return { totalCount, batches: loadBatches(load, rows.slice(offset)) };
}

/** Maps all batches. It maps a batch before the one before it is consumed, so that Redis and this process both work. */
async function* ahead<In, Out>(batches: AsyncIterable<In>, map: (batch: In) => Promise<Out>): AsyncGenerator<Out> {
  let before: Promise<Out> | null = null;
  for await (const batch of batches) {
    const next = map(batch);
    // Without this, a failure would be unhandled when the consumer stops before it.
    next.catch(() => undefined);
    if (before) yield await before;
    before = next;
  }
  if (before) yield await before;
}

/** Whether a filter and an order need no other columns than these. */
export function usesOnly({ expression, sort }: PageSelection, columns: ReadonlySet<string | null>): boolean {
  return (expression === null || readsOnly(expression, columns)) && sort.every(({ column }) => columns.has(column));
}

function readsOnly(expression: Expression, columns: ReadonlySet<string | null>): boolean {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return readsOnly(expression.left, columns) && readsOnly(expression.right, columns);
    case 'not':
      return readsOnly(expression.inner, columns);
    case 'constant':
      return true;
    case 'compare':
      return 'column' in expression.operand && columns.has(expression.operand.column);
    default:
      return false;
  }
}

/** Copies the sort columns and the member. A scan must not keep whole sessions in memory. */
function keptOf(row: MemberRow, sortColumns: readonly string[]): MemberRow {
  const kept: Record<string, unknown> = {};
  for (const column of sortColumns) kept[column] = row[column];
  return Object.assign(kept, { id: row.id, tokenHash: row.tokenHash, identityId: row.identityId });
}

async function* loadBatches<Session>(load: Scan<Session>['load'], members: readonly Member[]) {
  for (let at = 0; at < members.length; at += batchSize) yield await load(members.slice(at, at + batchSize));
}
