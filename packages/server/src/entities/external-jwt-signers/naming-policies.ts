import { ApiError } from '../../core/api-error.ts';
import type { AuthPolicy } from '../../credentials/sign-in-rules/auth-policy.ts';
import { policyColumns, readAuthPolicy } from '../../credentials/sign-in-rules/auth-policy.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';

const names: Readonly<Record<string, (policy: AuthPolicy, signerId: string) => boolean>> = {
  'primary.extJwt.allowedSigners': ({ primary }, id) => primary.extJwt.allowedSigners.includes(id),
  'secondary.requireExtJwtSigner': ({ secondary }, id) => secondary.requireExtJwtSigner === id,
};

/**
 * Refuses to delete a signer that an auth policy names. The row of the signer is locked, and whoever names it locks it,
 * too. So no policy can name it from now on. Policies are few, so all are read.
 *
 * @throws 409 `CAN_NOT_DELETE_REFERENCED_ENTITY` with the ids of the policies
 */
export async function refuseNamedByPolicies({ tx }: UnitOfWork, signerId: string): Promise<void> {
  const rows = await tx
    .selectFrom('authPolicies')
    .select(['id', ...policyColumns])
    .where((is) => is.or(policyColumns.map((column) => is(column, 'like', `%${signerId}%`))))
    .orderBy('id')
    .execute();
  for (const [field, isNamed] of Object.entries(names)) {
    const ids = rows.filter((row) => isNamed(readAuthPolicy(row), signerId)).map(({ id }) => id);
    if (ids.length === 0) continue;
    const value = `[${ids.join(' ')}]`;
    const reason = `entity type externalJwtSigner referenced by authPolicy: ${value}`;
    throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause: { field, reason, value } });
  }
}
