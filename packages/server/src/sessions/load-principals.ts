import { verifiedMfaId } from '../credentials/mfas/mfa-record.ts';
import { isPasswordOfOther } from '../credentials/passwords/password-record.ts';
import type { Rights } from '../credentials/rights/rights.ts';
import { rightsOf } from '../credentials/rights/rights.ts';
import type { AuthPolicy } from '../credentials/sign-in-rules/auth-policy.ts';
import { policyColumns, readAuthPolicy } from '../credentials/sign-in-rules/auth-policy.ts';
import { inValues } from '../storage/database/sql/select-values.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { CredentialVersion } from '../storage/revocation/credentials.ts';

/** The data that a request needs about the identity of its API session. */
export interface Principal extends Rights {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
  /** The external JWT signer that alone may use the external id. `null`: any may. */
  readonly externalIdSignerId: string | null;
  readonly authPolicyId: string;
  readonly policy: AuthPolicy;
  /** Id of its verified TOTP. `null`: it has none. */
  readonly mfaId: string | null;
  /** Whether somebody else has set its password. */
  readonly isPasswordOfOther: boolean;
  /** By the id of the authenticator. */
  readonly credentials: ReadonlyMap<string, SessionCredential>;
}

/** What a request needs of the credential of its API session. */
interface SessionCredential extends CredentialVersion {
  /** Whether the certificate shall be extended, and with a new key. */
  readonly isExtendRequested: boolean;
  readonly isKeyRollRequested: boolean;
}

export interface LoadedPrincipal extends Principal {
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
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
      'identities.externalIdSignerId',
      'identities.isAdmin',
      'identities.isDefaultAdmin',
      'identities.permissions',
      'identities.authPolicyId',
      'identities.disabledAt',
      'identities.disabledUntil',
      verifiedMfaId.as('mfaId'),
      isPasswordOfOther.as('isPasswordOfOther'),
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
  const { id, name, externalId, externalIdSignerId, authPolicyId, mfaId, disabledAt, disabledUntil } = first;
  return {
    ...{ id, name, externalId, externalIdSignerId, authPolicyId, mfaId, disabledAt, disabledUntil },
    ...rightsOf(first),
    isPasswordOfOther: Number(first.isPasswordOfOther) > 0,
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
