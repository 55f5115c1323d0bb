import type { AuthPolicy } from './auth-policy.ts';

/** The methods of authenticators with which an administrator can sign in, and whether a policy allows them. */
const isAllowed: Readonly<Record<string, (policy: AuthPolicy) => boolean>> = {
  updb: ({ primary }) => primary.updb.allowed,
  cert: ({ primary }) => primary.cert.allowed,
};

/**
 * Whether an administrator with an authenticator of this method can get all its rights under this policy. It can always
 * enroll TOTP. No JWT signer can exist yet, so nobody can meet a policy that requires one.
 */
export function canAdminister(method: string, policy: AuthPolicy): boolean {
  return !policy.secondary.requireExtJwtSigner && (isAllowed[method]?.(policy) ?? false);
}

/**
 * The first member of a policy whose change takes a method from administrators that have the policy. `null`: they keep all of
 * them.
 */
export function takenFromAdministrators(previous: AuthPolicy, next: AuthPolicy): string | null {
  const taken = Object.keys(isAllowed).find(
    (method) => canAdminister(method, previous) && !canAdminister(method, next),
  );
  if (taken !== undefined) return `primary.${taken}.allowed`;
  const refusesExpired = previous.primary.cert.allowExpiredCerts && !next.primary.cert.allowExpiredCerts;
  return refusesExpired && canAdminister('cert', next) ? 'primary.cert.allowExpiredCerts' : null;
}
