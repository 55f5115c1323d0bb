import type { ServiceAccess } from '../../access/service-access/service-access.ts';
import { mayHold } from '../../access/service-sessions/holder.ts';
import type { Sealer } from '../../core/secrets/sealer.ts';
import { hasRights } from '../../credentials/rights/rights.ts';
import type { AuthQuery } from '../../sessions/auth-state.ts';
import type { Requirements } from '../../sessions/load-requirements.ts';
import { loadRequirements } from '../../sessions/load-requirements.ts';
import type { Principals } from '../../sessions/principals.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import { currentVersion } from '../../storage/session-store/current-version.ts';
import type { LiveApiSession, SessionStore } from '../../storage/session-store/session-store.ts';

/** An API session as edge routers know it. */
export interface KnownSession {
  readonly id: string;
  readonly token: string;
  readonly tokenHash: string;
  readonly identityId: string;
  /** SHA-1 of the certificates that it may connect with, in lower-case hex. */
  readonly fingerprints: readonly string[];
  /** What decides whether it is fully authenticated, beside its identity. */
  readonly proofs: Pick<LiveApiSession, 'method' | 'authenticatorId' | 'signerId' | 'mfaId'>;
  /** The edge routers that may know it. */
  readonly routerIds: ReadonlySet<string>;
}

export interface SessionSources {
  readonly database: EntityStore;
  readonly sessions: SessionStore;
  readonly principals: Principals;
  readonly authQueries: readonly AuthQuery[];
  readonly sealer: Sealer;
  readonly serviceAccess: Pick<ServiceAccess, 'refresh' | 'routerIdsOf'>;
}

const noRouters: ReadonlySet<string> = new Set();

/**
 * Reads those of the API sessions that edge routers may know at some time: they live, and have asked for routers. What is not fully
 * authenticated has no routers.
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
      return principal ? { session, principal } : null;
    }),
  );
  const live = judged.filter((one) => one !== null);
  const ofIdentities = await routersByIdentity(
    sources,
    live.map(({ principal }) => principal),
  );
  return await Promise.all(
    live.map(async ({ session: { id, tokenHash, identityId, sealedToken, ...session } }) => {
      const certificates = await sessions.certificates.list(tokenHash);
      const { method, authenticatorId, signerId, mfaId } = session;
      const proofs = { method, authenticatorId, signerId, mfaId };
      return {
        ...{ id, token: sealer.open(sealedToken, id), tokenHash, identityId, proofs },
        fingerprints: certificates.map(({ fingerprint }) => fingerprint),
        routerIds: routerIdsOf(sources, proofs, ofIdentities.get(identityId)),
      };
    }),
  );
}

/** An identity with the edge routers that may know its API sessions. */
export interface RoutedIdentity {
  readonly requirements: Requirements;
  readonly routerIds: ReadonlySet<string>;
}

/** Reads identities with the edge routers that may know their API sessions. Unknown ids are left out. */
export async function readRoutedIdentities(
  sources: Pick<SessionSources, 'database' | 'serviceAccess'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RoutedIdentity>> {
  await sources.serviceAccess.refresh();
  return await routersByIdentity(sources, await loadRequirements(sources.database, ids));
}

/**
 * The edge routers that may know an API session: none, unless it is fully authenticated. A JWT that must be in every request does not
 * count, because a connection to a router has none.
 */
export function routerIdsOf(
  sources: Pick<SessionSources, 'authQueries'>,
  proofs: KnownSession['proofs'],
  identity: RoutedIdentity | undefined,
): ReadonlySet<string> {
  return identity && mayHold(sources, proofs, identity.requirements) ? identity.routerIds : noRouters;
}

/**
 * Who has a router, or takes one over, learns the tokens that it knows, and acts as their identities. So what policies say about routers
 * counts only for identities without rights: otherwise whoever may make a router could gain rights by it.
 */
async function routersByIdentity(
  { serviceAccess }: Pick<SessionSources, 'serviceAccess'>,
  identities: readonly Requirements[],
): Promise<ReadonlyMap<string, RoutedIdentity>> {
  const unique = new Map(identities.map((requirements) => [requirements.id, requirements]));
  const read = async (requirements: Requirements) => {
    const routerIds = hasRights(requirements) ? noRouters : await serviceAccess.routerIdsOf(requirements.id);
    return [requirements.id, { requirements, routerIds }] as const;
  };
  return new Map(await Promise.all([...unique.values()].map(read)));
}
