import { verifiedMfaId } from '../credentials/mfas/mfa-record.ts';
import { isPasswordOfOther } from '../credentials/passwords/password-record.ts';
import type { Rights } from '../credentials/rights/rights.ts';
import { rightsColumns, rightsOf } from '../credentials/rights/rights.ts';
import { policyColumns, readAuthPolicy } from '../credentials/sign-in-rules/auth-policy.ts';
import { inValues } from '../storage/database/sql/select-values.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { Principal } from './load-principals.ts';

/** What an identity requires of its API sessions, and the rights that these have. */
export type Requirements = Pick<Principal, 'id' | 'policy' | 'mfaId' | 'isPasswordOfOther' | keyof Rights>;

/** Reads what identities require. It reads less than `loadPrincipals`, for many at once. Unknown ids are left out. */
export async function loadRequirements(
  { db, sql }: Pick<EntityStore, 'db' | 'sql'>,
  ids: readonly string[],
): Promise<readonly Requirements[]> {
  const rows = await db
    .selectFrom('identities')
    .select(['id', 'authPolicyId', ...rightsColumns])
    .select([verifiedMfaId.as('mfaId'), isPasswordOfOther.as('isPasswordOfOther')])
    .where('id', 'in', inValues(sql, ids))
    .execute();
  const policyIds = [...new Set(rows.map(({ authPolicyId }) => authPolicyId))];
  const policyRows = await db
    .selectFrom('authPolicies')
    .select(['id', ...policyColumns])
    .where('id', 'in', inValues(sql, policyIds))
    .execute();
  const policies = new Map(policyRows.map((row) => [row.id, readAuthPolicy(row)]));
  return rows.flatMap((row) => {
    const policy = policies.get(row.authPolicyId);
    // It was moved to another policy meanwhile, and its own deleted: that is one more change.
    const { id, mfaId } = row;
    return policy
      ? [{ id, mfaId, isPasswordOfOther: Number(row.isPasswordOfOther) > 0, policy, ...rightsOf(row) }]
      : [];
  });
}
