import type { Expression } from '../../lib/filter/ast.ts';
import type { Row } from '../../lib/filter/evaluate.ts';
import { compareRows, evaluate } from '../../lib/filter/evaluate.ts';
import type { Selection } from '../../lib/filter/paging.ts';
import type { LiveApiSession } from '../session-store.ts';
import type { CreationIndex } from './creation-index.ts';
import { createFirstRows } from './first-rows.ts';
import type { Member } from './keys.ts';
import type { ListDeadline } from './list-deadline.ts';
import { batchSize } from './session-index.ts';
import type { SessionReader } from './session-reader.ts';

/** A page before it is read from the store. */
export interface Found {
  readonly totalCount: number;
  readonly batches: Iterable<readonly LiveApiSession[]> | AsyncIterable<readonly LiveApiSession[]>;
}

type MemberRow = Row & Member;

const ofMembers: ReadonlySet<string | null> = new Set([null, 'id', 'tokenHash', 'identityId']);
const ofIndexes: ReadonlySet<string | null> = new Set([...ofMembers, 'createdAt']);

/**
 * Selects sessions by a filter and in an order that no index has. It reads all sessions of the index `key` in batches,
 * and keeps only the ids and sort columns of those that may be on the page. When the filter and the order use only what
 * the indexes contain, it reads only the sessions of the page.
 *
 * @throws ApiError `TIMEOUT` when the time is over
 */
export async function scanSessions({
  reader,
  creationIndex,
  selection,
  key,
  deadline,
}: {
  reader: SessionReader;
  creationIndex: CreationIndex;
  selection: Selection;
  key: string;
  deadline: ListDeadline;
}): Promise<Found> {
  const { expression, sort, limit, offset } = selection;
  const readRows = rowReader(reader, creationIndex, selection);
  const isInOrderOfIds = sort[0]?.column === 'id';
  const isDescending = isInOrderOfIds && sort[0]?.descending === true;
  const first = createFirstRows<MemberRow>({
    length: limit === 'none' ? Number.POSITIVE_INFINITY : offset + limit,
    compare: isInOrderOfIds ? () => 0 : (left, right) => compareRows(sort, left, right),
    checkTime: deadline.check,
  });
  const sortColumns = sort.flatMap(({ column }) => (column === null ? [] : [column]));

  for await (const rows of ahead(reader.index.batches({ key, isDescending }), readRows)) {
    deadline.check();
    const matches = expression === null ? rows : rows.filter((row) => evaluate(expression, row));
    await first.add(matches.map((row) => keptOf(row, sortColumns)));
  }
  const { rows, totalCount } = await first.end();
  return { totalCount, batches: loadBatches(reader, rows.slice(offset)) };
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

/** Returns the reader of the rows that the selection needs: from the indexes if they have all columns. */
function rowReader(reader: SessionReader, creationIndex: CreationIndex, { expression, sort }: Selection) {
  const usesOnly = (columns: ReadonlySet<string | null>) =>
    (expression === null || readsOnly(expression, columns)) && sort.every(({ column }) => columns.has(column));
  return async (members: readonly Member[]): Promise<readonly MemberRow[]> => {
    if (usesOnly(ofMembers)) return members.map((member) => ({ ...member }));
    if (!usesOnly(ofIndexes)) return (await reader.peek(members)).map((session) => ({ ...session }));
    const times = await creationIndex.timesOf(members);
    return members.flatMap((member, at) => (times[at] === null ? [] : [{ ...member, createdAt: times[at] }]));
  };
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

async function* loadBatches({ load }: SessionReader, members: readonly Member[]) {
  for (let at = 0; at < members.length; at += batchSize) yield await load(members.slice(at, at + batchSize));
}
