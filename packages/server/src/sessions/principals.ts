import type { TrustedCas } from '../certificates/trusted-cas.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import type { TrustedSigners } from '../external-jwt/trusted-signers.ts';
import type { Clock } from '../lib/clock.ts';
import { loadPerTurn } from '../lib/load-per-turn.ts';
import { isOfCredential } from '../revocation/credentials.ts';
import type { EndedSessions } from '../revocation/ended-sessions.ts';
import { issuerOf, isUnchanged } from '../revocation/session-issuer.ts';
import type { ApiSessionRecord } from '../session-store/session-store.ts';
import type { AuthPolicy } from '../sign-in-rules/auth-policy.ts';
import { isDisabled } from '../sign-in-rules/is-disabled.ts';
import type { LoadedPrincipal, Principal } from './load-principals.ts';
import { loadPrincipals } from './load-principals.ts';

/** Caches in this process who is behind an API session, until the version of the entities changes. */
export interface Principals {
  /**
   * Returns the identity of a session. `null` when the identity does not exist or is disabled, or when the session has
   * ended, whatever the session store says: by itself, with its credential, or with the CA of its certificate or the signer of
   * its JWT.
   */
  get(session: ApiSessionRecord, version: string): Promise<Principal | null>;
  /**
   * What `get` returns for a session that it has seen as the same object at the same version, as in most requests: without a
   * promise. `null`: only `get` can tell.
   */
  known(session: ApiSessionRecord, version: string): Principal | null;
  /** As `get`, for a session that was stored a moment ago. Nobody knows it yet, so it has not ended by itself. */
  getOfNew(session: ApiSessionRecord, version: string): Promise<Principal | null>;
  /** The version of the last call; `null` before the first one. */
  readonly knownVersion: string | null;
}

const maxCached = 250_000;

export function createPrincipals({
  entities,
  endedSessions,
  trustedCas,
  trustedSigners,
  clock,
}: {
  entities: EntityStore;
  endedSessions: EndedSessions;
  trustedCas: TrustedCas;
  trustedSigners: TrustedSigners;
  clock: Clock;
}): Principals {
  /** Identities with the same policy share one object. */
  let policies = new Map<string, AuthPolicy>();
  const loadIdentities = loadPerTurn(loadPrincipals);
  const loadEnded = loadPerTurn(async (store: EndedSessions, hashes) => {
    const ended = await store.find(hashes);
    return new Map(hashes.map((hash) => [hash, ended.has(hash)]));
  });

  const identities = createCache(async (id): Promise<LoadedPrincipal | null> => {
    const shared = policies;
    const found = await loadIdentities(entities, id);
    if (!found) return null;
    const policy = shared.get(found.authPolicyId) ?? found.policy;
    shared.set(found.authPolicyId, policy);
    return { ...found, policy };
  });
  /** Whether a session has ended, by the hash of its token. */
  const ends = createCache(async (hash) => (await loadEnded(endedSessions, hash)) ?? false);
  let version: string | null = null;
  /** Whose session a record is, where that depends on nothing but the record, the identity and the version. */
  let holders = new WeakMap<ApiSessionRecord, LoadedPrincipal>();

  const issuers = {
    ca: trustedCas,
    signer: {
      at: async (current: string) => (await trustedSigners.at(current)).byId,
      reload: async () => (await trustedSigners.reload()).byId,
    },
  };
  const hasEndedWithIssuer = async (session: ApiSessionRecord, current: string): Promise<boolean> => {
    const issuer = issuerOf(session);
    if (issuer === null) return false;
    const { kind, id, version: atSignIn } = issuer;
    const held = (await issuers[kind].at(current)).get(id);
    // Read before the sign-in: a change is committed before the version of the entities changes.
    const isBehind = held === undefined || held.authVersion < atSignIn;
    return !isUnchanged(issuer, isBehind ? (await issuers[kind].reload()).get(id) : held);
  };

  const moveTo = (current: string) => {
    if (current === version) return;
    version = current;
    policies = new Map();
    identities.clear();
    ends.clear();
    holders = new WeakMap();
  };
  const isDisabledNow = (found: LoadedPrincipal) => found.disabledAt !== null && isDisabled(found, clock());

  return {
    get knownVersion() {
      return version;
    },

    getOfNew(session, current) {
      moveTo(current);
      ends.set(session.tokenHash, false);
      return this.get(session, current);
    },

    known(session, current) {
      moveTo(current);
      const holder = holders.get(session);
      if (!holder || identities.known(session.identityId) !== holder) return null;
      return isDisabledNow(holder) ? null : holder;
    },

    async get(session, current) {
      moveTo(current);
      const holdersNow = holders;
      const [cached, hasEnded] = await Promise.all([identities.get(session.identityId), ends.get(session.tokenHash)]);
      if (cached === null || hasEnded) return null;
      const found = isOlder(cached, session) ? await identities.reload(session.identityId) : cached;
      if (found === null || (await hasEndedWithIssuer(session, current))) return null;
      if (!isOfCredential(session, found.credentials.get(session.authenticatorId))) return null;
      if (issuerOf(session) === null) holdersNow.set(session, found);
      return isDisabledNow(found) ? null : found;
    },
  };
}

/**
 * Whether an identity was read before the credential of a session. A new credential does not change the version of the
 * entities, and a raised one changes it only after its commit: the session may be of a sign-in in between.
 */
function isOlder({ credentials }: LoadedPrincipal, { authenticatorId, credentialVersion }: ApiSessionRecord): boolean {
  const credential = credentials.get(authenticatorId);
  return credential === undefined || credential.version < credentialVersion;
}

/** Loads each key once until `clear` or `reload`. What is loaded before `clear` is not kept after it. */
function createCache<Value>(load: (key: string) => Promise<Value>) {
  let entries = new Map<string, { readonly loading: Promise<Value>; value?: Value }>();
  const add = (key: string, loading: Promise<Value>) => {
    const oldest = entries.size >= maxCached ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    const [generation, entry] = [entries, { loading }];
    entries.set(key, entry);
    loading.then(
      (value) => Object.assign(entry, { value }),
      () => generation.get(key) === entry && generation.delete(key),
    );
    return loading;
  };
  const get = (key: string): Promise<Value> => entries.get(key)?.loading ?? add(key, load(key));
  return {
    get,
    /** The value, if it is loaded. */
    known: (key: string): Value | undefined => entries.get(key)?.value,
    set: (key: string, value: Value) => void add(key, Promise.resolve(value)),
    clear() {
      entries = new Map();
    },
    reload(key: string): Promise<Value> {
      entries.delete(key);
      return get(key);
    },
  };
}
