import type { FilterRow } from '../../../../core/filter/evaluate.ts';
import { compareRows, evaluate } from '../../../../core/filter/evaluate.ts';
import type { PageSelection } from '../../../../core/filter/paging.ts';
import { select } from '../../../database/select.ts';
import { placeOfServiceSession } from '../../service-session-id.ts';
import type { ServiceSessionStore, StoredServiceSession } from '../../service-sessions.ts';
import { serviceSessionFields } from '../../service-sessions.ts';
import type { RedisServiceSessions } from '../fields/service-sessions.ts';
import type { Member, RedisKeys } from '../keys.ts';
import type { SessionIndex } from '../session-index.ts';
import type { ListDeadline } from './list-deadline.ts';
import { listDeadline } from './list-deadline.ts';
import { createQueue } from './queue.ts';
import { requiredValue } from './required-value.ts';
import type { FoundMembers, MemberRow } from './scan-index.ts';
import { scanIndex, usesOnly } from './scan-index.ts';

interface Source {
  readonly keys: RedisKeys;
  /** Both use the connection of the requests. */
  readonly index: SessionIndex;
  readonly sessions: RedisServiceSessions;
  /** Both use a connection of their own, so that long scans do not delay requests. */
  readonly scanIndex: SessionIndex;
  readonly scanned: RedisServiceSessions;
  /** Milliseconds that a list may take until its first row. */
  readonly timeLimit: number;
}

/** What an id and the index say of a session. */
const ofMembers: ReadonlySet<string | null> = new Set([null, 'id', 'apiSessionId', 'identityId', 'serviceId', 'type']);

/**
 * Creates `list` of the sessions of services. The sessions of one API session or identity are read all. Of all sessions in the
 * order of their ids, only those of the page are read. Every other query scans the index. Only one scan runs at a time.
 */
export function createServiceSessionList(source: Source): ServiceSessionStore['list'] {
  const { keys, index, sessions, scanned, timeLimit } = source;
  const enqueue = createQueue();

  const find = async (selection: PageSelection, deadline: ListDeadline, ownerId?: string) => {
    const few = membersOf(source, selection, ownerId);
    if (few) return await readFew(sessions, selection, { members: await few, ownerId });
    const [first] = selection.sort;
    const isDescending = first?.column === 'id' && first.descending;
    if (selection.expression === null && first?.column === 'id' && selection.limit !== 'none') {
      const walk = { key: keys.serviceSessions, offset: selection.offset, isDescending };
      const [totalCount, members] = await Promise.all([index.count(walk.key), index.slice(walk, selection.limit)]);
      return { totalCount, batches: [await sessions.load(members)] };
    }
    const members = source.scanIndex.batches({ key: keys.serviceSessions, isDescending });
    const load = (page: readonly Member[]) => scanned.load(page);
    return await enqueue(() =>
      scanIndex({ selection, deadline, members, readRows: rowReader(scanned, selection), load }),
    );
  };

  return async (query, ownerId) => {
    const selection = select(query, serviceSessionFields);
    const { batches, totalCount } = await find(selection, listDeadline(timeLimit), ownerId);
    const { limit, offset, isEmpty } = selection;
    return {
      batches: isEmpty ? [] : batches,
      filterableFields: Object.keys(serviceSessionFields),
      pagination: { limit, offset, totalCount },
    };
  };
}

/** The members that a query about one identity or one API session can find. `null`: it is about more. */
function membersOf(
  { keys, index }: Source,
  { expression }: PageSelection,
  ownerId?: string,
): Promise<readonly Member[]> | null {
  const id = requiredValue(expression, 'id');
  const apiSessionId =
    id === null ? requiredValue(expression, 'apiSessionId') : placeOfServiceSession(id)?.apiSessionId;
  if (apiSessionId === undefined) return Promise.resolve([]);
  if (apiSessionId !== null) return index.within(keys.serviceSessions, apiSessionId);
  const identityId = ownerId ?? requiredValue(expression, 'identityId');
  return identityId === null ? null : membersOfIdentity({ keys, index }, identityId);
}

async function membersOfIdentity(
  { keys, index }: Pick<Source, 'keys' | 'index'>,
  identityId: string,
): Promise<readonly Member[]> {
  const members: Member[] = [];
  for await (const apiSessions of index.batches({ key: keys.identity(identityId) })) {
    const found = await Promise.all(apiSessions.map(({ id }) => index.within(keys.serviceSessions, id)));
    members.push(...found.flat());
  }
  return members;
}

async function readFew(
  sessions: RedisServiceSessions,
  { expression, sort, limit, offset }: PageSelection,
  { members, ownerId }: { readonly members: readonly Member[]; readonly ownerId: string | undefined },
): Promise<FoundMembers<StoredServiceSession>> {
  const rows = (await sessions.load(members))
    .filter(({ apiSession }) => ownerId === undefined || apiSession.identityId === ownerId)
    .map((session) => ({ session, row: rowOf(session) }))
    .filter(({ row }) => expression === null || evaluate(expression, row))
    .sort((left, right) => compareRows(sort, left.row, right.row));
  const page = rows.slice(offset, limit === 'none' ? undefined : offset + limit);
  return { totalCount: rows.length, batches: [page.map(({ session }) => session)] };
}

function rowReader(sessions: RedisServiceSessions, selection: PageSelection) {
  return async (members: readonly Member[]): Promise<readonly MemberRow[]> => {
    if (usesOnly(selection, ofMembers))
      return members.map((member) => ({ ...member, ...placeOfServiceSession(member.id) }));
    return (await sessions.load(members)).map((session) => ({ ...rowOf(session), ...memberOf(session) }));
  };
}

function rowOf({ apiSession, ...session }: StoredServiceSession): FilterRow {
  return { ...session, apiSessionId: apiSession.id, identityId: apiSession.identityId };
}

function memberOf({ id, apiSession: { tokenHash, identityId } }: StoredServiceSession): Member {
  return { id, tokenHash, identityId };
}
