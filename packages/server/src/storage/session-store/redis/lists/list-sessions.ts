import type { Expression } from '../../../../core/filter/ast.ts';
import { evaluate } from '../../../../core/filter/evaluate.ts';
import type { Page } from '../../../../core/filter/page.ts';
import type { PageSelection } from '../../../../core/filter/paging.ts';
import { select } from '../../../database/select.ts';
import { sessionFields } from '../../session-fields.ts';
import type { LiveApiSession, SessionOwner, SessionStore } from '../../session-store.ts';
import type { RedisKeys } from '../keys.ts';
import type { Walk } from '../session-index.ts';
import type { SessionReader } from '../session-reader.ts';
import type { CreationIndex, CreationOrder } from './creation-index.ts';
import type { ListDeadline } from './list-deadline.ts';
import { listDeadline } from './list-deadline.ts';
import { createQueue } from './queue.ts';
import { requiredValue } from './required-value.ts';
import type { FoundMembers } from './scan-index.ts';
import { scanSessions } from './scan-sessions.ts';

interface Source {
  readonly keys: RedisKeys;
  /** Uses the connection of the requests, for lists that need only a few commands. */
  readonly reader: SessionReader;
  /** Uses its own connection, so that long scans do not delay requests. */
  readonly scanReader: SessionReader;
  readonly creationIndex: CreationIndex;
  /** Milliseconds that a list may take until its first row. */
  readonly timeLimit: number;
}

/**
 * Creates `list`, which returns one page of API sessions. Indexes serve one session by its id, all sessions in the order
 * of ids or of creation, and the sessions of one identity in the order of ids: only the sessions of the page are read.
 * Every other query scans all sessions, or all sessions of the identity. Only one scan runs at a time.
 */
export function createSessionList({
  keys,
  reader,
  scanReader,
  creationIndex,
  timeLimit,
}: Source): SessionStore['list'] {
  const enqueue = createQueue();
  let repaired: Promise<void> | null = null;

  /** The first list in this order waits until the index has the sessions of a version without this index. */
  const repairOnce = (): Promise<void> => {
    repaired ??= creationIndex.repair().catch((error) => {
      repaired = null;
      throw error;
    });
    return repaired;
  };

  const readCreated = async (order: CreationOrder, offset: number, limit: number, deadline: ListDeadline) => {
    await deadline.limit(repairOnce(), 'the index by time of creation is not complete yet, try again');
    return readPage(reader, keys.ids, creationIndex.slice(order, offset, limit));
  };

  const find = (selection: PageSelection, deadline: ListDeadline): Promise<FoundMembers<LiveApiSession>> => {
    const { expression, limit, offset } = selection;
    const id = requiredValue(expression, 'id');
    if (id !== null) return readOne(reader, selection, id);
    const identityId = requiredValue(expression, 'identityId');
    const key = identityId === null ? keys.ids : keys.identity(identityId);
    const isWholeIndex = expression === null || (identityId !== null && expression.kind === 'compare');
    const idOrder = isWholeIndex ? orderOfIds(selection) : null;
    if (idOrder) {
      const walk: Walk = { key, offset, isDescending: idOrder.isDescending };
      return limit === 'none' ? readAll(scanReader, walk) : readPage(reader, key, reader.index.slice(walk, limit));
    }
    const creationOrder = expression === null ? orderOfCreation(selection) : null;
    if (creationOrder && limit !== 'none') return readCreated(creationOrder, offset, limit, deadline);
    return enqueue(() => scanSessions({ reader: scanReader, creationIndex, selection, key, deadline }));
  };

  return async (query, within): Promise<Page<LiveApiSession>> => {
    const selected = select(query, sessionFields);
    const selection = within ? { ...selected, expression: ofOwner(within, selected.expression) } : selected;
    const deadline = listDeadline(timeLimit);
    await reader.index.sweep();
    const { batches, totalCount } = await find(selection, deadline);
    const { limit, offset, isEmpty } = selection;
    const pagination = { limit, offset, totalCount };
    return { batches: isEmpty ? [] : batches, filterableFields: Object.keys(sessionFields), pagination };
  };
}

function ofOwner({ identityId }: SessionOwner, filter: Expression | null): Expression {
  const isOwn: Expression = {
    kind: 'compare',
    operand: { kind: 'string', column: 'identityId' },
    ...{ operator: '=', negated: false, valueType: 'string', values: [identityId] },
  };
  return filter ? { kind: 'and', left: isOwn, right: filter } : isOwn;
}

function orderOfIds({ sort: [first] }: PageSelection) {
  return first?.column === 'id' ? { isDescending: first.descending } : null;
}

function orderOfCreation({ sort: [first, second] }: PageSelection): CreationOrder | null {
  if (first?.column !== 'createdAt' || second?.column !== 'id') return null;
  return { isDescending: first.descending, isDescendingId: second.descending };
}

async function readOne(
  { index, load }: SessionReader,
  selection: PageSelection,
  id: string,
): Promise<FoundMembers<LiveApiSession>> {
  const { expression, offset, limit } = selection;
  const member = await index.find(id);
  const sessions = (await load(member ? [member] : [])).filter(
    (session) => expression === null || evaluate(expression, { ...session }),
  );
  return {
    totalCount: sessions.length,
    batches: [sessions.slice(offset, limit === 'none' ? undefined : offset + limit)],
  };
}

async function readPage(
  { index, load }: SessionReader,
  key: string,
  slice: ReturnType<SessionReader['index']['slice']>,
): Promise<FoundMembers<LiveApiSession>> {
  const [totalCount, members] = await Promise.all([index.count(key), slice]);
  return { totalCount, batches: [await load(members)] };
}

async function readAll({ index, load }: SessionReader, walk: Walk): Promise<FoundMembers<LiveApiSession>> {
  const batches = async function* () {
    for await (const members of index.batches(walk)) yield await load(members);
  };
  return { totalCount: await index.count(walk.key), batches: batches() };
}
