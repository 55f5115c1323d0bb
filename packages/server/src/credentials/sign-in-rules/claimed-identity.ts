import { runCompiled } from '../../storage/database/sql/run-compiled.ts';
import { textValue } from '../../storage/database/sql/text-value.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import type { AuthPolicy } from './auth-policy.ts';
import { policyColumns, readAuthPolicy } from './auth-policy.ts';

/** The identity that a claim names: of a certificate of a CA, or of a JWT of a signer. */
export interface ClaimedIdentity {
  readonly identityId: string;
  readonly name: string;
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
  /** The signer that alone may use the external id. `null`: any may. */
  readonly externalIdSignerId: string | null;
  /** What API sessions of the sign-in show instead of an authenticator. */
  readonly authenticatorId: string;
  /** Of the credential that such a session depends on. `null`: there is none yet. */
  readonly credentialVersion: number | null;
  readonly policy: AuthPolicy;
}

interface Claim {
  /** What the claim is compared with. */
  readonly column: 'id' | 'externalId';
  readonly value: string;
  readonly authenticatorId: string;
}

export async function findClaimedIdentity(
  { db, dialect }: Pick<EntityStore, 'db' | 'dialect'>,
  claim: Claim,
): Promise<ClaimedIdentity | null> {
  const { column, value, authenticatorId } = claim;
  const found = await runCompiled(db, `${dialect} identity by ${column}`, {
    compile: () => selectIdentity(db, claim).compile(),
    parameters: [authenticatorId, value],
  });
  const [row] = found.rows;
  if (!row) return null;
  const { primary, secondary, ...identity } = row;
  return { ...identity, authenticatorId, policy: readAuthPolicy({ primary, secondary }) };
}

function selectIdentity(db: EntityStore['db'], { column, value, authenticatorId }: Claim) {
  return db
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .leftJoin('credentials', (join) =>
      join
        .onRef('credentials.identityId', '=', 'identities.id')
        .on('credentials.authenticatorId', '=', textValue(authenticatorId)),
    )
    .select(['identities.id as identityId', 'identities.name', 'identities.disabledAt', 'identities.disabledUntil'])
    .select('identities.externalIdSignerId')
    .select('credentials.version as credentialVersion')
    .select(policyColumns)
    .where(`identities.${column}`, '=', textValue(value));
}
