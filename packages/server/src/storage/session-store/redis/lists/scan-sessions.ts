import type { PageSelection } from '../../../../core/filter/paging.ts';
import type { LiveApiSession } from '../../session-store.ts';
import type { Member } from '../keys.ts';
import type { SessionReader } from '../session-reader.ts';
import type { CreationIndex } from './creation-index.ts';
import type { ListDeadline } from './list-deadline.ts';
import type { FoundMembers, MemberRow } from './scan-index.ts';
import { scanIndex, usesOnly } from './scan-index.ts';

const ofMembers: ReadonlySet<string | null> = new Set([null, 'id', 'tokenHash', 'identityId']);
const ofIndexes: ReadonlySet<string | null> = new Set([...ofMembers, 'createdAt']);

/**
 * Selects API sessions of the index `key` by a filter and in an order that no index has. When both use only what the indexes
 * contain, it reads only the sessions of the page.
 *
 * @throws ApiError `TIMEOUT` when the time is over
 */
export function scanSessions({
  reader,
  creationIndex,
  selection,
  key,
  deadline,
}: {
  reader: SessionReader;
  creationIndex: CreationIndex;
  selection: PageSelection;
  key: string;
  deadline: ListDeadline;
}): Promise<FoundMembers<LiveApiSession>> {
  const [first] = selection.sort;
  const isDescending = first?.column === 'id' && first.descending;
  const members = reader.index.batches({ key, isDescending });
  const readRows = rowReader(reader, creationIndex, selection);
  return scanIndex({ selection, deadline, members, readRows, load: (page) => reader.load(page) });
}

/** Returns the reader of the rows that the selection needs: from the indexes if they have all columns. */
function rowReader(reader: SessionReader, creationIndex: CreationIndex, selection: PageSelection) {
  return async (members: readonly Member[]): Promise<readonly MemberRow[]> => {
    if (usesOnly(selection, ofMembers)) return members.map((member) => ({ ...member }));
    if (!usesOnly(selection, ofIndexes)) return (await reader.peek(members)).map((session) => ({ ...session }));
    const times = await creationIndex.timesOf(members);
    return members.flatMap((member, at) => (times[at] === null ? [] : [{ ...member, createdAt: times[at] }]));
  };
}
