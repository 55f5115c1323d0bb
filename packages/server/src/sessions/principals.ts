import type { TrustedCa, TrustedCas } from '../certificates/trusted-cas.ts';
import type { AuthPolicy } from '../lib/auth-policy.ts';
import { policyColumns, readAuthPolicy } from '../lib/auth-policy.ts';
import type { Clock } from '../lib/clock.ts';
import { isDisabled } from '../lib/is-disabled.ts';
import { loadPerTurn } from '../lib/load-per-turn.ts';
import { verifiedMfaId } from '../mfas/mfa-record.ts';
import type { CredentialVersion } from '../stores/credentials.ts';
import { isOfCa, isOfCredential } from '../stores/credentials.ts';
import type { EndedSessions } from '../stores/ended-sessions.ts';
import type { EntityStore } from '../stores/entity-store.ts';
import type { ApiSessionRecord } from '../stores/session-store.ts';
import { inValues } from '../stores/sql/select-values.ts';

/** The data that a request needs about the identity of its API session. */
export interface Principal {
  readonly id: string;
  readonly name: string;
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
   * ended, whatever the session store says: by itself, with its credential, or with the CA of its certificate.
   */
  get(session: ApiSessionRecord, version: string): Promise<Principal | null>;
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
  clock,
}: {
  entities: EntityStore;
  endedSessions: EndedSessions;
  trustedCas: TrustedCas;
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

  const hasEndedWithCa = async (session: ApiSessionRecord, current: string): Promise<boolean> => {
    const { caId } = session;
    // Sessions of an older version do not have the member.
    if (!caId) return false;
    const ca = (await trustedCas.at(current)).get(caId);
    return !isOfCa(session, isBehind(session, ca) ? (await trustedCas.reload()).get(caId) : ca);
  };

  return {
    async get(session, current) {
      if (current !== version) {
        version = current;
        policies = new Map();
        identities.clear();
        ends.clear();
      }
      const [cached, hasEnded] = await Promise.all([identities.get(session.identityId), ends.get(session.tokenHash)]);
      if (cached === null || hasEnded) return null;
      const found = isOlder(cached, session) ? await identities.reload(session.identityId) : cached;
      if (found === null || (await hasEndedWithCa(session, current))) return null;
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

/** Whether a CA was read before the sign-in of a session: a change is committed before the version of the entities changes. */
function isBehind({ caVersion }: ApiSessionRecord, ca: TrustedCa | undefined): boolean {
  return ca === undefined || ca.authVersion < caVersion;
}

/** Loads each key once until `clear` or `reload`. What is loaded before `clear` is not kept after it. */
function createCache<Value>(load: (key: string) => Promise<Value>) {
  let values = new Map<string, Promise<Value>>();
  const get = (key: string): Promise<Value> => {
    const generation = values;
    let loading = generation.get(key);
    if (!loading) {
      const oldest = generation.size >= maxCached ? generation.keys().next().value : undefined;
      if (oldest !== undefined) generation.delete(oldest);
      loading = load(key);
      generation.set(key, loading);
      loading.catch(() => generation.delete(key));
    }
    return loading;
  };
  return {
    get,
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
  const { id, name, authPolicyId, mfaId, disabledAt, disabledUntil } = first;
  return {
    ...{ id, name, authPolicyId, mfaId, disabledAt, disabledUntil },
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
