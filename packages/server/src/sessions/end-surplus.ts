import type { LiveApiSession } from '../storage/session-store/session-store.ts';
import type { ActiveSession } from './active-session.ts';
import type { Dependencies } from './dependencies.ts';
import { endSessionBy } from './end-session.ts';
import { evaluate } from './sessions.ts';

/** Sessions that one sign-in ends at most: there may be many when the limit is new. */
const most = 100;
/** Milliseconds after its beginning when the use of a session counts. */
const leastUse = 1_000;

type Call = Dependencies & Parameters<typeof endSessionBy>[0];
type NewSession = Pick<ActiveSession, 'stored' | 'principal'>;

/**
 * Ends the surplus API sessions of an identity that has opened a new one: the least recently used first, and before them those
 * that lack a code. A new session that lacks a code ends only such sessions: with a stolen password alone, nobody ends the
 * sessions of its owner.
 *
 * Each new session ends only older ones. So sign-ins at once never end each other, and the last of them sees all. While one is still being
 * stored, there may be one more; the next sign-in ends it.
 */
export async function endSurplus(call: Call, session: NewSession): Promise<void> {
  const limit = call.settings.maxApiSessions;
  if (limit === 0) return;
  const older = await readOlder(call, session);
  const surplus = older.length + 1 - limit;
  const ending = older.toSorted(
    (a, b) =>
      Number(b.isPartial) - Number(a.isPartial) ||
      usedAt(a.stored) - usedAt(b.stored) ||
      compareAge(a.stored, b.stored),
  );
  for (const { stored } of ending.slice(0, Math.max(0, Math.min(surplus, most)))) {
    await endSessionBy(call, stored, 'controller');
  }
}

interface Older {
  readonly stored: LiveApiSession;
  readonly isPartial: boolean;
}

/** The older sessions of the identity that count beside a new one. */
async function readOlder(call: Call, { stored, principal }: NewSession): Promise<readonly Older[]> {
  const isPartial = (session: LiveApiSession) =>
    evaluate(call, session, principal).authQueries.some(({ typeId }) => typeId === 'MFA');
  const isNewPartial = isPartial(stored);
  const { batches } = await call.sessions.list({ limit: -1, sort: 'id' }, { identityId: principal.id });
  const older: Older[] = [];
  for await (const batch of batches) {
    for (const session of batch) {
      if (compareAge(session, stored) >= 0) continue;
      const one = { stored: session, isPartial: isPartial(session) };
      if (one.isPartial || !isNewPartial) older.push(one);
    }
  }
  return older;
}

/** A session is as old as its last code. */
function sinceOf({ createdAt, mfaPassedAt }: LiveApiSession): number {
  return mfaPassedAt ?? createdAt;
}

function compareAge(a: LiveApiSession, b: LiveApiSession): number {
  return sinceOf(a) - sinceOf(b) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** Redis gives the last use only roughly, but concurrent sign-ins must get the same order. So new sessions count as unused. */
function usedAt(session: LiveApiSession): number {
  const since = sinceOf(session);
  return session.lastActivityAt - since < leastUse ? since : session.lastActivityAt;
}
