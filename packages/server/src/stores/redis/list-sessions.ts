import type { Expression } from '../../lib/filter/ast.ts';
import type { Row } from '../../lib/filter/evaluate.ts';
import { compareRows, evaluate } from '../../lib/filter/evaluate.ts';
import type { Selection } from '../../lib/filter/paging.ts';
import type { Page } from '../page.ts';
import { select } from '../select.ts';
import { sessionFields } from '../session-fields.ts';
import type { LiveApiSession, SessionStore } from '../session-store.ts';
import { pieceLength } from './index-of-sessions.ts';
import type { Member, RedisKeys } from './keys.ts';
import type { SessionReader } from './session-reader.ts';
import { sortInTurns } from './sort-in-turns.ts';

interface Source {
  readonly keys: RedisKeys;
  /** Over the connection of the requests: for what a few commands answer. */
  readonly brief: SessionReader;
  /** Over a connection that delays nobody: for all that is read in pieces. */
  readonly long: SessionReader;
}

interface Found {
  readonly totalCount: number;
  readonly rows: Iterable<LiveApiSession> | AsyncIterable<LiveApiSession>;
}

/**
 * `list`: one page of API sessions. One session by its id, and a page of all or of one identity in the order of ids, are
 * looked up. Any other filter or order reads all sessions, or all of the identity, in pieces; one such scan at a time.
 */
export function createSessionList({ keys, brief, long }: Source): SessionStore['list'] {
  const oneAtATime = createQueue();

  const find = (selection: Selection): Promise<Found> => {
    const id = requiredValue(selection.expression, 'id');
    if (id !== null) return single(brief, selection, id);
    const identityId = requiredValue(selection.expression, 'identityId');
    const key = identityId === null ? keys.ids : keys.identity(identityId);
    const isIndexed = selection.expression === null || identityId !== null;
    if (!isIndexed || !isInOrderOfIds(selection)) return oneAtATime(() => scanned(long, selection, key));
    return selection.limit === 'none' ? everything(long, selection, key) : page(brief, selection, key);
  };

  return async (query): Promise<Page<LiveApiSession>> => {
    const selection = select(query, sessionFields);
    await brief.index.sweep();
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

/** The text that a column must have, when that is all that is asked for. */
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

async function single({ index, load }: SessionReader, selection: Selection, id: string): Promise<Found> {
  const member = await index.find(id);
  const living = await load(member ? [member] : []);
  return { totalCount: living.length, rows: pageOf(living, selection) };
}

async function page({ index, load }: SessionReader, { limit, offset }: Selection, key: string): Promise<Found> {
  const length = limit === 'none' ? pieceLength : limit;
  return { totalCount: await index.count(key), rows: await load(await index.slice(key, offset, length)) };
}

async function everything(reader: SessionReader, { offset }: Selection, key: string): Promise<Found> {
  const totalCount = await reader.index.count(key);
  return { totalCount, rows: follow(reader, key, await reader.index.slice(key, offset, pieceLength)) };
}

async function* follow({ index, load }: SessionReader, key: string, first: readonly Member[]) {
  let piece = first;
  for (;;) {
    yield* await load(piece);
    const last = piece.at(-1);
    if (!last || piece.length < pieceLength) return;
    piece = await index.after(key, last);
  }
}

async function scanned(reader: SessionReader, selection: Selection, key: string): Promise<Found> {
  const { expression, sort, limit } = selection;
  const found: Row[] = [];
  for await (const session of follow(reader, key, await reader.index.slice(key, 0, pieceLength))) {
    const row: Row = { ...session };
    if (expression !== null && !evaluate(expression, row)) continue;
    // What sorts the row and what finds it again: a scan of many sessions must not hold them all.
    const kept: Record<string, unknown> = {
      id: session.id,
      tokenHash: session.tokenHash,
      identityId: session.identityId,
    };
    for (const { column } of sort) if (column !== null) kept[column] = row[column];
    found.push(kept);
  }
  const compare = (left: Row, right: Row) => compareRows(sort, left, right);
  const sorted = isInOrderOfIds(selection) ? found : await sortInTurns(found, compare);
  const wanted = pageOf(sorted, selection) as unknown as readonly Member[];
  const rows = limit === 'none' ? inPieces(reader, wanted) : await reader.load(wanted);
  return { totalCount: found.length, rows };
}

async function* inPieces({ load }: SessionReader, members: readonly Member[]) {
  for (let at = 0; at < members.length; at += pieceLength) yield* await load(members.slice(at, at + pieceLength));
}
