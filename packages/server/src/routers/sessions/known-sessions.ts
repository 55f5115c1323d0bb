import type { EntityStore } from '../../entity-store/entity-store.ts';
import type { Sealer } from '../../lib/sealer.ts';
import { mayHold } from '../../service-sessions/holder.ts';
import { currentVersion } from '../../session-store/current-version.ts';
import type { LiveApiSession, SessionStore } from '../../session-store/session-store.ts';
import type { AuthQuery } from '../../sessions/auth-state.ts';
import type { Principals } from '../../sessions/principals.ts';

/** An API session as edge routers know it. */
export interface KnownSession {
  readonly id: string;
  readonly token: string;
  readonly tokenHash: string;
  readonly identityId: string;
  /** SHA-1 of the certificates that it may connect with, in lower-case hex. */
  readonly fingerprints: readonly string[];
}

export interface SessionSources {
  readonly entities: EntityStore;
  readonly sessions: SessionStore;
  readonly principals: Principals;
  readonly authQueries: readonly AuthQuery[];
  readonly sealer: Sealer;
}

/**
 * Reads those of the API sessions that edge routers may know: they live, and they are fully authenticated. A JWT that must be in every
 * request does not count, because a connection to a router has none.
 */
export async function readKnownSessions(
  sources: SessionSources,
  stored: readonly LiveApiSession[],
): Promise<readonly KnownSession[]> {
  if (stored.length === 0) return [];
  const { sessions, principals, sealer } = sources;
  const version = await currentVersion(sessions);
  const known = await Promise.all(
    stored.map(async (session): Promise<KnownSession | null> => {
      const principal = await principals.get(session, version);
      if (!principal || !mayHold(sources, session, principal)) return null;
      const { id, tokenHash, identityId, sealedToken } = session;
      const certificates = await sessions.certificates.list(tokenHash);
      const fingerprints = certificates.map(({ fingerprint }) => fingerprint);
      return { id, token: sealer.open(sealedToken, id), tokenHash, identityId, fingerprints };
    }),
  );
  return known.filter((session) => session !== null);
}
