import { invalidField } from '../../core/api-error.ts';
import { policyColumns, readAuthPolicy } from '../../credentials/sign-in-rules/auth-policy.ts';
import { missingOf } from '../../crud/references.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';

/** What a signer says about identities that enroll with its JWTs. */
interface EnrollmentRules {
  readonly enrollAuthPolicyId: string;
  readonly enrollToCertEnabled: boolean | null;
  readonly enrollToTokenEnabled: boolean | null;
}

const field = 'enrollAuthPolicyId';

/**
 * Checks that the auth policy of the identities that enroll exists and allows how they will sign in. Locks a new policy against
 * deletion until the commit.
 *
 * @throws 400 `COULD_NOT_VALIDATE`
 */
export async function checkEnrollPolicy(
  unit: UnitOfWork,
  { enrollAuthPolicyId: id, enrollToCertEnabled, enrollToTokenEnabled }: EnrollmentRules,
  previous: EnrollmentRules | null,
): Promise<void> {
  // One that does not change is not locked here: `signer-changes.ts` has the order of the locks.
  const isNew = id !== previous?.enrollAuthPolicyId;
  if (isNew && (await missingOf(unit, 'authPolicies', [id])).length > 0) {
    throw invalidField(field, 'the auth policy could not be found', id);
  }
  const row = await unit.tx.selectFrom('authPolicies').select(policyColumns).where('id', '=', id).executeTakeFirst();
  if (!row) throw invalidField(field, 'the auth policy could not be found', id);
  const { primary } = readAuthPolicy(row);
  if (enrollToTokenEnabled && !primary.extJwt.allowed) {
    throw invalidField(field, 'primary external jwt authentication on auth policy is disabled', id);
  }
  if (enrollToCertEnabled && !primary.cert.allowed) {
    throw invalidField(field, 'primary certificate authentication on auth policy is disabled', id);
  }
}
