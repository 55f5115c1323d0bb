import type { AuthQueryDetail } from '@edge-controller/shared-types';
import { authenticationMethods } from '@edge-controller/shared-types';
import type { SecondaryJwt } from '../credentials/external-jwt/secondary-jwt.ts';
import type { AuthPolicy } from '../credentials/sign-in-rules/auth-policy.ts';
import { allowsSigner } from '../credentials/sign-in-rules/auth-policy.ts';
import type { ApiSessionRecord } from '../storage/session-store/session-store.ts';

/** The facts that decide how far an API session is authenticated. */
export interface AuthFacts {
  /** The primary method that opened the session. */
  readonly method: ApiSessionRecord['method'];
  /** Id of the authenticator that opened it. */
  readonly authenticatorId: string;
  readonly policy: AuthPolicy;
  /** Whether the identity is an administrator or has permissions. */
  readonly hasRights: boolean;
  /** Id of the verified TOTP of the identity. `null`: it has none. */
  readonly mfaId: string | null;
  /** Id of the TOTP for which this session has sent a right code. `null`: none. */
  readonly provenMfaId: string | null;
  /** Whether somebody else has set the password of the identity. */
  readonly isPasswordOfOther: boolean;
  /** Id of the external JWT signer whose token opened the session. `null`: another primary method did. */
  readonly signerId: string | null;
  /** How this request answers the JWT that the policy requires. `null`: it requires none, or nobody asks for this request. */
  readonly secondaryJwt: SecondaryJwt | null;
}

/** One kind of authentication query: a second factor that the client must prove, or another thing that a sign-in lacks. */
export interface AuthQuery {
  readonly isFactor: boolean;
  /** Whether the identity needs it. */
  readonly isRequired: (facts: AuthFacts) => boolean;
  /** Whether the client must still prove or do it. Called only when it is required. */
  readonly isOutstanding: (facts: AuthFacts) => boolean;
  /** The query as the client sees it while it is outstanding. */
  readonly detail: (facts: AuthFacts) => AuthQueryDetail;
}

export interface AuthState {
  /** False when the policy does not allow the primary method. The session is then refused. */
  readonly isAllowed: boolean;
  /** The outstanding queries, in the order of the wire. Empty: the session is full. */
  readonly authQueries: readonly AuthQueryDetail[];
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  readonly secondaryJwt: SecondaryJwt | null;
}

/**
 * Decides how far a session is authenticated. `queries` has all kinds of queries, in the
 * order of the wire. This function is pure and runs at every request, so a changed policy or factor has an effect from
 * the next request on.
 */
export function authState(facts: AuthFacts, queries: readonly AuthQuery[]): AuthState {
  const required = queries.filter(({ isRequired }) => isRequired(facts));
  const outstanding = required.filter(({ isOutstanding }) => isOutstanding(facts));
  const isMfaRequired = required.some(({ isFactor }) => isFactor);
  return {
    isAllowed: isMethodAllowed(facts),
    authQueries: outstanding.map(({ detail }) => detail(facts)),
    isMfaRequired,
    isMfaComplete: isMfaRequired && !outstanding.some(({ isFactor }) => isFactor),
    secondaryJwt: facts.secondaryJwt,
  };
}

function isMethodAllowed({ method, policy, signerId }: AuthFacts): boolean {
  const rule = policy.primary[authenticationMethods[method]];
  return 'allowedSigners' in rule ? allowsSigner(rule, signerId ?? '') : rule.allowed;
}
