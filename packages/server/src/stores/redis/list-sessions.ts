import type { Expression } from '../../lib/filter/ast.ts';
import type { Row } from '../../lib/filter/evaluate.ts';
import { compareRows, evaluate } from '../../lib/filter/evaluate.ts';
import type { Selection } from '../../lib/filter/paging.ts';
import type { Page } from '../page.ts';
import { select } from '../select.ts';
import { sessionFields } from '../session-fields.ts';
import type { LiveApiSession, SessionStore } from '../session-store.ts';
import type { Member, RedisKeys } from './keys.ts';
import { batchSize } from './session-index.ts';
import type { SessionReader } from './session-reader.ts';
import { yieldingSort } from './yielding-sort.ts';

interface Source {
  readonly keys: RedisKeys;
  /** Uses the connection of the requests, for lists that need only a few commands. */
  readonly reader: SessionReader;
  /** Uses its own connection, so that long scans do not delay requests. */
  readonly scanReader: SessionReader;
}

interface Result {
  readonly totalCount: number;
  readonly rows: Iterable<LiveApiSession> | AsyncIterable<LiveApiSession>;
}

/**
 * Creates `list`, which returns one page of API sessions. Three kinds of queries use the indexes: one session by its
 * id, and all sessions or those of one identity in the order of ids. Every other query scans all sessions, or all
 * sessions of the identity, in batches. Only one scan runs at a time.
 */
export function createSessionList({ keys, reader, scanReader }: Source): SessionStore['list'] {
  const enqueue = createQueue();

  const find = (selection: Selection): Promise<Result> => {
    const id = requiredValue(selection.expression, 'id');
    if (id !== null) return readOne(reader, selection, id);
    const identityId = requiredValue(selection.expression, 'identityId');
    const key = identityId === null ? keys.ids : keys.identity(identityId);
    const isIndexed = selection.expression === null || identityId !== null;
    if (!isIndexed || !isInOrderOfIds(selection)) return enqueue(() => scan(scanReader, selection, key));
    return selection.limit === 'none' ? readAll(scanReader, selection, key) : readPage(reader, selection, key);
  };

  return async (query): Promise<Page<LiveApiSession>> => {
    const selection = select(query, sessionFields);
    await reader.index.sweep();
    const { rows, totalCount } = await find(selection);
    const { limit, offset } = selection;
    return { rows, filterableFields: Object.keys(sessionFields), pagination: { limit, offset, totalCount } };
  };
}

function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}

/** The value that the column must have, if the filter has no other condition. */
function requiredValue(expression: Expression | null, column: string): string | null {
  if (expression?.kind !== 'compare' || expression.operator !== '=') return null;
  if (expression.operand.kind !== 'string' || expression.operand.column !== column) return null;
  const [value] = expression.values;
  return typeof value === 'string' ? value : null;
}

function isInOrderOfIds({ sort: [first] }: Selection): boolean {
  return first?.column === 'id' && !first.descending;
}

function pageOf<T>(rows: readonly T[], { limit, offset }: Selection): readonly T[] {
  return rows.slice(offset, limit === 'none' ? undefined : offset + limit);
}

async function readOne({ index, load }: SessionReader, selection: Selection, id: string): Promise<Result> {
  const member = await index.find(id);
  const sessions = await load(member ? [member] : []);
  return { totalCount: sessions.length, rows: pageOf(sessions, selection) };
}

async function readPage({ index, load }: SessionReader, { limit, offset }: Selection, key: string): Promise<Result> {
  const length = limit === 'none' ? batchSize : limit;
  return { totalCount: await index.count(key), rows: await load(await index.slice(key, offset, length)) };
}

async function readAll(reader: SessionReader, { offset }: Selection, key: string): Promise<Result> {
  const totalCount = await reader.index.count(key);
  return { totalCount, rows: loadFrom(reader, key, await reader.index.slice(key, offset, batchSize)) };
}

/** Loads the first batch and all batches after it. */
async function* loadFrom({ index, load }: SessionReader, key: string, first: readonly Member[]) {
  let batch = first;
  for (;;) {
    yield* await load(batch);
    const last = batch.at(-1);
    if (!last || batch.length < batchSize) return;
    batch = await index.after(key, last);
  }
}

async function scan(reader: SessionReader, selection: Selection, key: string): Promise<Result> {
  const { expression, sort, limit } = selection;
  const matches: Row[] = [];
  for await (const session of loadFrom(reader, key, await reader.index.slice(key, 0, batchSize))) {
    const row: Row = { ...session };
    if (expression !== null && !evaluate(expression, row)) continue;
    // Keeps only the sort columns and the member. The scan must not keep all sessions in memory.
    const kept: Record<string, unknown> = {
      id: session.id,
      tokenHash: session.tokenHash,
      identityId: session.identityId,
    };
    for (const { column } of sort) if (column !== null) kept[column] = row[column];
    matches.push(kept);
  }
  const compare = (left: Row, right: Row) => compareRows(sort, left, right);
  const sorted = isInOrderOfIds(selection) ? matches : await yieldingSort(matches, compare);
  const members = pageOf(sorted, selection) as unknown as readonly Member[];
  const rows = limit === 'none' ? loadInBatches(reader, members) : await reader.load(members);
  return { totalCount: matches.length, rows };
}

async function* loadInBatches({ load }: SessionReader, members: readonly Member[]) {
  for (let at = 0; at < members.length; at += batchSize) yield* await load(members.slice(at, at + batchSize));
}
