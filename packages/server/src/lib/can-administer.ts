import type { AuthPolicy } from './auth-policy.ts';

/** The methods of authenticators with which an administrator can sign in, and whether a policy allows them. */
const isAllowed: Readonly<Record<string, (policy: AuthPolicy) => boolean>> = {
  updb: ({ primary }) => primary.updb.allowed,
};

/**
 * Whether an administrator with an authenticator of this method can get all its rights under this policy. It can always
 * enroll TOTP. No JWT signer can exist yet, so nobody can meet a policy that requires one.
 */
export function canAdminister(method: string, policy: AuthPolicy): boolean {
  return !policy.secondary.requireExtJwtSigner && (isAllowed[method]?.(policy) ?? false);
}

/** Whether a change of a policy takes a method from the administrators that have the policy. */
export function takesFromAdministrators(previous: AuthPolicy, next: AuthPolicy): boolean {
  return Object.keys(isAllowed).some((method) => canAdminister(method, previous) && !canAdminister(method, next));
}
