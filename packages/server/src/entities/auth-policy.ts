import type { AuthPolicyDetail } from '@edge-controller/shared-types';
import type { Tables } from '../stores/entity-store.ts';

/** The rules of an auth policy, as in the API. */
export type AuthPolicy = Pick<AuthPolicyDetail, 'primary' | 'secondary'>;
/** The rules of an auth policy for user names and passwords. */
export type UpdbRules = AuthPolicy['primary']['updb'];

type PolicyRow = Tables['authPolicies'];
export type PolicyColumns = Omit<PolicyRow, 'id' | 'createdAt' | 'updatedAt' | 'tags' | 'name' | 'isSystem'>;

export function readAuthPolicy(row: PolicyColumns): AuthPolicy {
  return {
    primary: {
      cert: { allowed: row.certAllowed === 1, allowExpiredCerts: row.certAllowExpiredCerts === 1 },
      extJwt: { allowed: row.extJwtAllowed === 1, allowedSigners: JSON.parse(row.extJwtAllowedSigners) },
      updb: {
        allowed: row.updbAllowed === 1,
        minPasswordLength: row.updbMinPasswordLength,
        requireSpecialChar: row.updbRequireSpecialChar === 1,
        requireNumberChar: row.updbRequireNumberChar === 1,
        requireMixedCase: row.updbRequireMixedCase === 1,
        maxAttempts: row.updbMaxAttempts,
        lockoutDurationMinutes: row.updbLockoutDurationMinutes,
      },
    },
    secondary: {
      requireTotp: row.requireTotp === 1,
      ...(row.requireExtJwtSigner === null ? {} : { requireExtJwtSigner: row.requireExtJwtSigner }),
    },
  };
}

/** The columns with the rules of a policy, for `select`. */
export const policyColumns = [
  'certAllowed',
  'certAllowExpiredCerts',
  'extJwtAllowed',
  'extJwtAllowedSigners',
  'updbAllowed',
  'updbMinPasswordLength',
  'updbRequireSpecialChar',
  'updbRequireNumberChar',
  'updbRequireMixedCase',
  'updbMaxAttempts',
  'updbLockoutDurationMinutes',
  'requireTotp',
  'requireExtJwtSigner',
] as const satisfies readonly (keyof PolicyColumns)[];
