import type { CachedByVersion } from '../core/cache/cache-by-version.ts';
import { KeyedCache } from '../core/cache/keyed-cache.ts';
import type { Settings } from '../core/config/schema.ts';
import type { Clock } from '../core/time/clock.ts';
import { loadPerTurn } from '../core/turns/load-per-turn.ts';
import type { TrustedCas } from '../credentials/certificates/trusted-cas.ts';
import type { TrustedSigners } from '../credentials/external-jwt/trusted-signers.ts';
import { hasRights } from '../credentials/rights/rights.ts';
import type { AuthPolicy } from '../credentials/sign-in-rules/auth-policy.ts';
import { isDisabled } from '../credentials/sign-in-rules/is-disabled.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import { isOfCredential } from '../storage/revocation/credentials.ts';
import type { EndedSessions } from '../storage/revocation/ended-sessions.ts';
import type { SessionIssuer } from '../storage/revocation/session-issuer.ts';
import { issuerOf, isUnchanged } from '../storage/revocation/session-issuer.ts';
import type { ApiSessionRecord } from '../storage/session-store/session-store.ts';
import type { LoadedPrincipal, Principal } from './load-principals.ts';
import { loadPrincipals } from './load-principals.ts';

const maxCached = 250_000;

interface Sources {
  readonly settings: Pick<Settings, 'maxSessionLifetime'>;
  readonly database: EntityStore;
  readonly endedSessions: EndedSessions;
  readonly trustedCas: TrustedCas;
  readonly trustedSigners: TrustedSigners;
  readonly clock: Clock;
}

/** Caches in this process who is behind an API session, until the version of the entities changes. */
export class Principals {
  readonly #sources: Sources;
  readonly #identities: KeyedCache<LoadedPrincipal | null>;
  /** Whether a session has ended, by the hash of its token. */
  readonly #ends: KeyedCache<boolean>;
  /** Identities with the same policy share one object. */
  #policies = new Map<string, AuthPolicy>();
  #version: string | null = null;
  /** Whose session a record is, where that depends on nothing but the record, the identity and the version. */
  #holders = new WeakMap<ApiSessionRecord, LoadedPrincipal>();

  constructor(sources: Sources) {
    const { database, endedSessions } = sources;
    const loadIdentities = loadPerTurn(loadPrincipals);
    const loadEnded = loadPerTurn(async (store: EndedSessions, hashes) => {
      const ended = await store.find(hashes);
      return new Map(hashes.map((hash) => [hash, ended.has(hash)]));
    });
    this.#sources = sources;
    this.#identities = new KeyedCache(maxCached, async (id) => {
      const policies = this.#policies;
      const found = await loadIdentities(database, id);
      return found ? sharePolicy(found, policies) : null;
    });
    this.#ends = new KeyedCache(maxCached, async (hash) => (await loadEnded(endedSessions, hash)) ?? false);
  }

  /** The version of the last call; `null` before the first one. */
  get knownVersion(): string | null {
    return this.#version;
  }

  /**
   * Returns the identity of a session. `null` when the identity does not exist or is disabled, or when the session has
   * ended, whatever the session store says: by itself, with its credential, or with the CA of its certificate or the signer of
   * its JWT. Also `null` when it has lived as long as it may, and when routers know the session and its identity has rights.
   */
  async get(session: ApiSessionRecord, version: string): Promise<Principal | null> {
    this.#moveTo(version);
    const holders = this.#holders;
    const [cached, hasEnded] = await Promise.all([
      this.#identities.get(session.identityId),
      this.#ends.get(session.tokenHash),
    ]);
    if (cached === null || hasEnded) return null;
    const found = isOlder(cached, session) ? await this.#identities.reload(session.identityId) : cached;
    if (found === null || (await this.#hasEndedWithIssuer(session, version))) return null;
    if (!isOfCredential(session, found.credentials.get(session.authenticatorId))) return null;
    // Whoever has a router that knows the token would have the rights, too. Routers of an older version got every token.
    if (session.usesRouters !== false && hasRights(found)) return null;
    if (issuerOf(session) === null) holders.set(session, found);
    return this.#isOut(session, found) ? null : found;
  }

  /** As `get`, for a session that was stored a moment ago. Nobody knows it yet, so it has not ended by itself. */
  getOfNew(session: ApiSessionRecord, version: string): Promise<Principal | null> {
    this.#moveTo(version);
    this.#ends.set(session.tokenHash, false);
    return this.get(session, version);
  }

  /**
   * What `get` returns for a session that it has seen as the same object at the same version, as in most requests: without a
   * promise. `null`: only `get` can tell.
   */
  known(session: ApiSessionRecord, version: string): Principal | null {
    this.#moveTo(version);
    const holder = this.#holders.get(session);
    if (!holder || this.#identities.known(session.identityId) !== holder) return null;
    return this.#isOut(session, holder) ? null : holder;
  }

  /**
   * When an API session ends by what its setting and its auth policy say now, in milliseconds since 1970, however much it is used.
   * `null`: only its timeout ends it.
   */
  endOf(session: ApiSessionRecord, { policy }: Pick<Principal, 'policy'>): number | null {
    return latestEnd(session, { policy, maxLifetime: this.#sources.settings.maxSessionLifetime });
  }

  /** Whether a session that `get` has just refused has lived as long as it may. */
  isOver(session: ApiSessionRecord): boolean {
    const found = this.#identities.known(session.identityId);
    return found ? this.#isOver(session, found) : false;
  }

  #moveTo(version: string): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#policies = new Map();
    this.#identities.clear();
    this.#ends.clear();
    this.#holders = new WeakMap();
  }

  async #hasEndedWithIssuer(session: ApiSessionRecord, version: string): Promise<boolean> {
    const issuer = issuerOf(session);
    if (issuer === null) return false;
    const issuers = this.#issuers(issuer.kind);
    const held = (await issuers.at(version)).get(issuer.id);
    // Read before the sign-in: a change is committed before the version of the entities changes.
    const isBehind = held === undefined || held.authVersion < issuer.version;
    return !isUnchanged(issuer, isBehind ? (await issuers.reload()).get(issuer.id) : held);
  }

  #issuers(kind: SessionIssuer['kind']): CachedByVersion<ReadonlyMap<string, { readonly authVersion: number }>> {
    const { trustedCas, trustedSigners } = this.#sources;
    if (kind === 'ca') return trustedCas;
    return {
      at: async (version) => (await trustedSigners.at(version)).byId,
      reload: async () => (await trustedSigners.reload()).byId,
    };
  }

  /** What mere time decides. */
  #isOut(session: ApiSessionRecord, found: LoadedPrincipal): boolean {
    return (found.disabledAt !== null && isDisabled(found, this.#sources.clock())) || this.#isOver(session, found);
  }

  #isOver(session: ApiSessionRecord, found: LoadedPrincipal): boolean {
    const end = this.endOf(session, found);
    return end !== null && end <= this.#sources.clock();
  }
}

function sharePolicy(found: LoadedPrincipal, policies: Map<string, AuthPolicy>): LoadedPrincipal {
  const policy = policies.get(found.authPolicyId) ?? found.policy;
  policies.set(found.authPolicyId, policy);
  return { ...found, policy };
}

/**
 * Whether an identity was read before the credential of a session. A new credential does not change the version of the
 * entities, and a raised one changes it only after its commit: the session may be of a sign-in in between.
 */
function isOlder({ credentials }: LoadedPrincipal, { authenticatorId, credentialVersion }: ApiSessionRecord): boolean {
  const credential = credentials.get(authenticatorId);
  return credential === undefined || credential.version < credentialVersion;
}

const minute = 60_000;

/** What limits the life of API sessions, however much they are used. */
interface Limits {
  readonly policy: AuthPolicy;
  /** Milliseconds. `null`: the setting limits nothing. */
  readonly maxLifetime: number | null;
}

/**
 * The first of the ends that an API session has: its own, that of the setting, that of its auth policy. In milliseconds since
 * 1970; `null`: only its timeout ends it.
 */
export function latestEnd(
  { createdAt, endsAt }: Pick<ApiSessionRecord, 'createdAt' | 'endsAt'>,
  { policy, maxLifetime }: Limits,
): number | null {
  const minutes = policy.primary.maxSessionMinutes ?? null;
  if (endsAt === null && maxLifetime === null && minutes === null) return null;
  return Math.min(
    endsAt ?? Number.POSITIVE_INFINITY,
    createdAt + (maxLifetime ?? Number.POSITIVE_INFINITY),
    createdAt + (minutes ?? Number.POSITIVE_INFINITY) * minute,
  );
}
