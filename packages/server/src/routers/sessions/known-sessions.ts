import type { EntityStore } from '../../entity-store/entity-store.ts';
import type { Sealer } from '../../lib/sealer.ts';
import { readRights } from '../../rights/higher-identities.ts';
import type { Rights } from '../../rights/rights.ts';
import { hasRights, noRights } from '../../rights/rights.ts';
import type { ServiceAccess } from '../../service-access/service-access.ts';
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
  /** The edge routers that may know it. */
  readonly routerIds: ReadonlySet<string>;
}

export interface SessionSources {
  readonly entities: EntityStore;
  readonly sessions: SessionStore;
  readonly principals: Principals;
  readonly authQueries: readonly AuthQuery[];
  readonly sealer: Sealer;
  readonly serviceAccess: Pick<ServiceAccess, 'refresh' | 'routerIdsOf'>;
}

const noRouters: ReadonlySet<string> = new Set();

/**
 * Reads those of the API sessions that edge routers may know: they live, they have asked for routers, and they are fully authenticated.
 * A JWT that must be in every request does not count, because a connection to a router has none.
 */
export async function readKnownSessions(
  sources: SessionSources,
  stored: readonly LiveApiSession[],
): Promise<readonly KnownSession[]> {
  const asking = stored.filter(({ usesRouters }) => usesRouters !== false);
  if (asking.length === 0) return [];
  const { sessions, principals, sealer, serviceAccess } = sources;
  const [version] = await Promise.all([currentVersion(sessions), serviceAccess.refresh()]);
  const judged = await Promise.all(
    asking.map(async (session) => {
      const principal = await principals.get(session, version);
      return principal && mayHold(sources, session, principal) ? { session, principal } : null;
    }),
  );
  const held = judged.filter((one) => one !== null);
  const rights = new Map(held.map(({ session, principal }) => [session.identityId, principal]));
  const routerIds = await routerIdsByIdentity(sources, rights);
  return await Promise.all(
    held.map(async ({ session: { id, tokenHash, identityId, sealedToken } }) => {
      const certificates = await sessions.certificates.list(tokenHash);
      return {
        ...{ id, token: sealer.open(sealedToken, id), tokenHash, identityId },
        fingerprints: certificates.map(({ fingerprint }) => fingerprint),
        routerIds: routerIds.get(identityId) ?? noRouters,
      };
    }),
  );
}

/** Reads the edge routers that may know the API sessions of some identities. */
export async function readRouterIds(
  sources: Pick<SessionSources, 'entities' | 'serviceAccess'>,
  identityIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  await sources.serviceAccess.refresh();
  const rights = await readRights(sources.entities, identityIds);
  return await routerIdsByIdentity(sources, new Map(identityIds.map((id) => [id, rights.get(id) ?? noRights])));
}

/**
 * Who has a router, or takes one over, learns the tokens that it knows, and acts as their identities. So what policies say about routers
 * counts only for identities without rights: otherwise whoever may make a router could gain rights by it.
 */
async function routerIdsByIdentity(
  { serviceAccess }: Pick<SessionSources, 'serviceAccess'>,
  rights: ReadonlyMap<string, Rights>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const read = async ([id, ofIdentity]: readonly [string, Rights]) =>
    [id, hasRights(ofIdentity) ? noRouters : await serviceAccess.routerIdsOf(id)] as const;
  return new Map(await Promise.all([...rights].map(read)));
}
