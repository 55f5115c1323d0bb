import type { Kysely } from 'kysely';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';
import type { AuthPolicy } from '../sign-in-rules/auth-policy.ts';
import { policyColumns, readAuthPolicy } from '../sign-in-rules/auth-policy.ts';
import type { HigherIdentity, RightsAsker } from './higher-identities.ts';
import { readHigherIdentities } from './higher-identities.ts';

interface HigherSignIn extends HigherIdentity {
  readonly policy: AuthPolicy;
}

/** Reads how the identities may sign in that have rights which `asker` does not have. */
export async function readHigherSignIns(
  { db, sql }: { readonly db: Kysely<Tables>; readonly sql: EntityStore['sql'] },
  asker: RightsAsker,
): Promise<readonly HigherSignIn[]> {
  const higher = await readHigherIdentities(db, asker);
  const ids = [...new Set(higher.map(({ authPolicyId }) => authPolicyId))];
  const rows = await db
    .selectFrom('authPolicies')
    .select(['id', ...policyColumns])
    .where('id', 'in', inValues(sql, ids))
    .execute();
  const policies = new Map(rows.map((row) => [row.id, readAuthPolicy(row)]));
  return higher.flatMap((identity) => {
    const policy = policies.get(identity.authPolicyId);
    return policy ? [{ ...identity, policy }] : [];
  });
}
