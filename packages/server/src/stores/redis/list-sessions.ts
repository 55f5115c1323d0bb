import type { Expression } from '../../lib/filter/ast.ts';
import type { Row } from '../../lib/filter/evaluate.ts';
import { compareRows, evaluate } from '../../lib/filter/evaluate.ts';
import type { Selection } from '../../lib/filter/paging.ts';
import type { Page, Query } from '../page.ts';
import { select } from '../select.ts';
import { sessionFields } from '../session-fields.ts';
import type { LiveApiSession } from '../session-store.ts';
import type { SessionIndex } from './index-of-sessions.ts';
import { pieceLength } from './index-of-sessions.ts';
import type { Member, RedisKeys } from './keys.ts';

interface Source {
  readonly index: SessionIndex;
  readonly keys: RedisKeys;
  /** The sessions of these members that live. */
  readonly load: (members: readonly Member[]) => Promise<readonly LiveApiSession[]>;
  /** Scans share the connection with every request: one at a time leaves room for those. */
  readonly oneAtATime: <T>(scan: () => Promise<T>) => Promise<T>;
}

/**
 * One page of API sessions. In the order of ids, of all or of one identity, only the page is read. Any other filter or
 * order reads every session once, in pieces.
 */
export async function listSessions(source: Source, query: Query): Promise<Page<LiveApiSession>> {
  const selection = select(query, sessionFields);
  await source.index.sweep();
  const key = indexKey(selection, source.keys);
  const page =
    key === null ? await source.oneAtATime(() => scanned(source, selection)) : await indexed(source, selection, key);
  const { limit, offset } = selection;
  return {
    rows: page.rows,
    filterableFields: Object.keys(sessionFields),
    pagination: { limit, offset, totalCount: page.totalCount },
  };
}

interface Found {
  readonly totalCount: number;
  readonly rows: Iterable<LiveApiSession> | AsyncIterable<LiveApiSession>;
}

/** The index that holds exactly the rows asked for, in their order; `null`: there is none. */
function indexKey({ expression, sort }: Selection, keys: RedisKeys): string | null {
  const [first] = sort;
  if (first?.column !== 'id' || first.descending) return null;
  if (expression === null) return keys.ids;
  const identityId = onlyIdentity(expression);
  return identityId === null ? null : keys.identity(identityId);
}

function onlyIdentity(expression: Expression): string | null {
  if (expression.kind !== 'compare' || expression.operator !== '=') return null;
  if (expression.operand.kind !== 'string' || expression.operand.column !== 'identityId') return null;
  const [value] = expression.values;
  return typeof value === 'string' ? value : null;
}

async function indexed({ index, load }: Source, { limit, offset }: Selection, key: string): Promise<Found> {
  const totalCount = await index.count(key);
  if (limit !== 'none') return { totalCount, rows: await load(await index.slice(key, offset, limit)) };
  const first = await index.slice(key, offset, pieceLength);
  return { totalCount, rows: follow({ index, load }, key, first) };
}

async function* follow({ index, load }: Pick<Source, 'index' | 'load'>, key: string, first: readonly Member[]) {
  let piece = first;
  for (;;) {
    yield* await load(piece);
    const last = piece.at(-1);
    if (!last || piece.length < pieceLength) return;
    piece = await index.after(key, last);
  }
}

async function scanned({ index, keys, load }: Source, { expression, sort, limit, offset }: Selection): Promise<Found> {
  const found: Row[] = [];
  for await (const session of follow({ index, load }, keys.ids, await index.slice(keys.ids, 0, pieceLength))) {
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
  found.sort((left, right) => compareRows(sort, left, right));
  const wanted = found.slice(offset, limit === 'none' ? undefined : offset + limit) as unknown as Member[];
  return { totalCount: found.length, rows: limit === 'none' ? inPieces(load, wanted) : await load(wanted) };
}

async function* inPieces(load: Source['load'], members: readonly Member[]) {
  for (let at = 0; at < members.length; at += pieceLength) yield* await load(members.slice(at, at + pieceLength));
}
