import type { TrustedCas } from '../certificates/trusted-cas.ts';
import type { TrustedSigners } from '../external-jwt/trusted-signers.ts';
import type { AuthPolicy } from '../lib/auth-policy.ts';
import { policyColumns, readAuthPolicy } from '../lib/auth-policy.ts';
import type { Clock } from '../lib/clock.ts';
import { isDisabled } from '../lib/is-disabled.ts';
import { loadPerTurn } from '../lib/load-per-turn.ts';
import { verifiedMfaId } from '../mfas/mfa-record.ts';
import type { CredentialVersion } from '../stores/credentials.ts';
import { isOfCredential } from '../stores/credentials.ts';
import type { EndedSessions } from '../stores/ended-sessions.ts';
import type { EntityStore } from '../stores/entity-store.ts';
import { issuerOf, isUnchanged } from '../stores/session-issuer.ts';
import type { ApiSessionRecord } from '../stores/session-store.ts';
import { inValues } from '../stores/sql/select-values.ts';

/** The data that a request needs about the identity of its API session. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
  readonly isAdmin: boolean;
  readonly authPolicyId: string;
  readonly policy: AuthPolicy;
  /** Id of its verified TOTP. `null`: it has none. */
  readonly mfaId: string | null;
  /** By the id of the authenticator. */
  readonly credentials: ReadonlyMap<string, SessionCredential>;
}

/** What a request needs of the credential of its API session. */
interface SessionCredential extends CredentialVersion {
  /** Whether the certificate shall be extended, and with a new key. */
  readonly isExtendRequested: boolean;
  readonly isKeyRollRequested: boolean;
}

/** Caches in this process who is behind an API session, until the version of the entities changes. */
export interface Principals {
  /**
   * Returns the identity of a session. `null` when the identity does not exist or is disabled, or when the session has
   * ended, whatever the session store says: by itself, with its credential, or with the CA of its certificate or the signer of
   * its JWT.
   */
  get(session: ApiSessionRecord, version: string): Promise<Principal | null>;
  /** As `get`, for a session that was stored a moment ago. Nobody knows it yet, so it has not ended by itself. */
  getOfNew(session: ApiSessionRecord, version: string): Promise<Principal | null>;
  /** The version of the last call; `null` before the first one. */
  readonly knownVersion: string | null;
}

interface LoadedPrincipal extends Principal {
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
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
  };

  return {
    get knownVersion() {
      return version;
    },

    getOfNew(session, current) {
      moveTo(current);
      ends.set(session.tokenHash, false);
      return this.get(session, current);
    },

    async get(session, current) {
      moveTo(current);
      const [cached, hasEnded] = await Promise.all([identities.get(session.identityId), ends.get(session.tokenHash)]);
      if (cached === null || hasEnded) return null;
      const found = isOlder(cached, session) ? await identities.reload(session.identityId) : cached;
      if (found === null || (await hasEndedWithIssuer(session, current))) return null;
      if (!isOfCredential(session, found.credentials.get(session.authenticatorId))) return null;
      return found.disabledAt !== null && isDisabled(found, clock()) ? null : found;
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
  let values = new Map<string, Promise<Value>>();
  const add = (key: string, value: Promise<Value>) => {
    const oldest = values.size >= maxCached ? values.keys().next().value : undefined;
    if (oldest !== undefined) values.delete(oldest);
    values.set(key, value);
  };
  const get = (key: string): Promise<Value> => {
    const generation = values;
    let loading = generation.get(key);
    if (!loading) {
      loading = load(key);
      add(key, loading);
      loading.catch(() => generation.delete(key));
    }
    return loading;
  };
  return {
    get,
    set: (key: string, value: Value) => add(key, Promise.resolve(value)),
    clear() {
      values = new Map();
    },
    reload(key: string): Promise<Value> {
      values.delete(key);
      return get(key);
    },
  };
}

/** Reads identities, disabled ones too, with their policies, verified TOTPs and credentials. Returns them by id. */
export async function loadPrincipals(
  { db, sql }: Pick<EntityStore, 'db' | 'sql'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LoadedPrincipal>> {
  if (ids.length === 0) return new Map();
  const rows = await selectPrincipals(db)
    .where('identities.id', 'in', inValues(sql, [...new Set(ids)]))
    .execute();
  const byIdentity = Map.groupBy(rows, ({ id }) => id);
  return new Map([...byIdentity].map(([id, ofIdentity]) => [id, principalOf(ofIdentity)]));
}

/** One row for each credential of an identity, or one without. */
function selectPrincipals(db: EntityStore['db']) {
  return db
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .leftJoin('credentials', 'credentials.identityId', 'identities.id')
    .leftJoin('authenticators', 'authenticators.id', 'credentials.authenticatorId')
    .select([
      'identities.id',
      'identities.name',
      'identities.externalId',
      'identities.isAdmin',
      'identities.isDefaultAdmin',
      'identities.authPolicyId',
      'identities.disabledAt',
      'identities.disabledUntil',
      verifiedMfaId.as('mfaId'),
      'credentials.authenticatorId',
      'credentials.version',
      'credentials.keptSessionId',
      'authenticators.isExtendRequested',
      'authenticators.isKeyRollRequested',
    ])
    .select(policyColumns);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectPrincipals>['execute']>>[number];

function principalOf(rows: readonly Row[]): LoadedPrincipal {
  const [first] = rows;
  if (!first) throw new Error('a principal has at least one row');
  const { id, name, externalId, authPolicyId, mfaId, disabledAt, disabledUntil } = first;
  return {
    ...{ id, name, externalId, authPolicyId, mfaId, disabledAt, disabledUntil },
    isAdmin: first.isAdmin === 1 || first.isDefaultAdmin === 1,
    policy: readAuthPolicy(first),
    credentials: new Map(rows.flatMap(credentialOf)),
  };
}

function credentialOf({
  authenticatorId,
  version,
  keptSessionId,
  ...authenticator
}: Row): readonly [string, SessionCredential][] {
  if (authenticatorId === null || version === null) return [];
  const isExtendRequested = authenticator.isExtendRequested === 1;
  const isKeyRollRequested = authenticator.isKeyRollRequested === 1;
  return [[authenticatorId, { version, keptSessionId, isExtendRequested, isKeyRollRequested }]];
}
