import type { AuthPolicy } from './auth-policy.ts';

/** The methods of authenticators with which an administrator can sign in, and whether a policy allows them. */
const isAllowed: Readonly<Record<string, (policy: AuthPolicy) => boolean>> = {
  updb: ({ primary }) => primary.updb.allowed,
  cert: ({ primary }) => primary.cert.allowed,
};

/**
 * Whether an administrator with an authenticator of this method can get all its rights under this policy. It can always
 * enroll TOTP. JWTs of external signers do not count: the signer may be disabled, or stop signing, at any time. So nobody counts
 * under a policy that requires one.
 */
export function canAdminister(method: string, policy: AuthPolicy): boolean {
  return !policy.secondary.requireExtJwtSigner && (isAllowed[method]?.(policy) ?? false);
}

/** A member of a policy and its new value. */
interface Taken {
  readonly field: string;
  readonly value: string;
}

/**
 * The first member of a policy whose change takes a method from administrators that have the policy. `null`: they keep all of
 * them.
 */
export function takenFromAdministrators(previous: AuthPolicy, next: AuthPolicy): Taken | null {
  const taken = Object.keys(isAllowed).find(
    (method) => canAdminister(method, previous) && !canAdminister(method, next),
  );
  const { requireExtJwtSigner: signer } = next.secondary;
  if (taken !== undefined && signer) return { field: 'secondary.requireExtJwtSigner', value: signer };
  const refusesExpired = previous.primary.cert.allowExpiredCerts && !next.primary.cert.allowExpiredCerts;
  const isExpiryTaken = refusesExpired && canAdminister('cert', next);
  const member = taken ? `${taken}.allowed` : isExpiryTaken ? 'cert.allowExpiredCerts' : null;
  return member === null ? null : { field: `primary.${member}`, value: 'false' };
}
