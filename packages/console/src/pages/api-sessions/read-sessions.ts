import type { ApiSessionDetail } from '@edge-controller/sdk';
import { filter } from '@edge-controller/sdk';
import { edge } from '../../session/edge.ts';

export const pageSize = 50;
/** Identities that a name may find. */
export const maxIdentities = 50;

/** An API session without its token. */
export type ShownSession = Pick<
  ApiSessionDetail,
  'id' | 'createdAt' | 'lastActivityAt' | 'identity' | 'identityId' | 'ipAddress' | 'authenticatorId'
> & {
  /** It still has to answer for its second factor. */
  readonly isPartial: boolean;
};

export interface SessionPage {
  readonly rows: readonly ShownSession[];
  /** Sessions of the page before that have ended. */
  readonly ended: readonly ShownSession[];
  readonly total: number;
  /** More identities have the name than the page looks for. */
  readonly isCut: boolean;
}

export interface SessionsWanted {
  /** A part of the names of identities. Empty: all. */
  readonly identity: string;
  readonly offset: number;
}

const nothing: SessionPage = { rows: [], ended: [], total: 0, isCut: false };

/** Reads one page, the newest first, and finds out which sessions of `before` have ended. */
export async function readSessions(
  { identity, offset }: SessionsWanted,
  before: SessionPage | undefined,
  signal: AbortSignal,
): Promise<SessionPage> {
  const found = identity === '' ? null : await findIdentities(identity, signal);
  if (found?.ids.length === 0) return nothing;
  const where = found === null ? {} : { filter: filter`identity in ${found.ids}` };
  const query = { ...where, sort: 'createdAt desc', limit: pageSize, offset };
  const { data, meta } = await edge.management.apiSessions.list(query, { signal });
  const rows = data.map(shown);
  const ended = before === undefined ? [] : await endedOf(before, rows, signal);
  return { rows, ended, total: meta.pagination?.totalCount ?? rows.length, isCut: found?.isCut ?? false };
}

async function findIdentities(name: string, signal: AbortSignal) {
  const query = { filter: filter`name icontains ${name}`, limit: maxIdentities };
  const { data, meta } = await edge.management.identities.list(query, { signal });
  return { ids: data.map(({ id }) => id), isCut: (meta.pagination?.totalCount ?? 0) > data.length };
}

/** A session that is not on the page any more may only have moved to the next one. */
async function endedOf(before: SessionPage, rows: readonly ShownSession[], signal: AbortSignal) {
  const now = new Set(rows.map(({ id }) => id));
  const missing = before.rows.filter(({ id }) => !now.has(id));
  if (missing.length === 0) return [];
  const query = { filter: filter`id in ${missing.map(({ id }) => id)}`, limit: missing.length };
  const { data } = await edge.management.apiSessions.list(query, { signal });
  const live = new Set(data.map(({ id }) => id));
  return missing.filter(({ id }) => !live.has(id));
}

function shown(session: ApiSessionDetail): ShownSession {
  const { id, createdAt, lastActivityAt, identity, identityId, ipAddress, authenticatorId, authQueries } = session;
  const isPartial = authQueries.length > 0;
  return { id, createdAt, lastActivityAt, identity, identityId, ipAddress, authenticatorId, isPartial };
}
