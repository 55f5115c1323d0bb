import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { AuthPolicy } from '../entities/auth-policy.ts';
import type { ApiSessionRecord } from '../stores/session-store.ts';

/** What decides how far an API session is authenticated. */
export interface AuthFacts {
  /** The primary method that opened the session. */
  readonly method: ApiSessionRecord['method'];
  readonly policy: AuthPolicy;
  /** The verified TOTP of the identity, if it has one. */
  readonly mfaId: string | null;
  /** The TOTP whose code the session has proven. */
  readonly provenMfaId: string | null;
  /** Ids of the signers of whom this very request carries a valid token of the identity. */
  readonly provenSigners: ReadonlySet<string>;
}

/** One kind of authentication query: a second factor that the client is asked for (specification 2.3, 5.3). */
export interface AuthQuery {
  /** Does the identity need this factor? */
  readonly isRequired: (facts: AuthFacts) => boolean;
  /** Must the client still prove it? Asked only when it is required. */
  readonly isOutstanding: (facts: AuthFacts) => boolean;
  /** What the client is shown while it is outstanding. */
  readonly detail: (facts: AuthFacts) => AuthQueryDetail;
}

export interface AuthState {
  /** False when the policy does not allow the primary method: the session is then refused. */
  readonly isAllowed: boolean;
  /** The queries that are outstanding, in the order of the wire; empty: full. */
  readonly authQueries: readonly AuthQueryDetail[];
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
}

/**
 * Decides how far a session is authenticated (specification 3.1, 5.2, 5.3). A pure function, asked at every request: a
 * change of a policy or of a factor counts from the next request on. `queries`: every kind of query, in the order of
 * the wire.
 */
export function authState(facts: AuthFacts, queries: readonly AuthQuery[]): AuthState {
  const { updb, cert, extJwt } = facts.policy.primary;
  const isAllowed = { password: updb, cert, 'ext-jwt': extJwt }[facts.method].allowed;
  const required = queries.filter(({ isRequired }) => isRequired(facts));
  const outstanding = required.filter(({ isOutstanding }) => isOutstanding(facts));
  return {
    isAllowed,
    authQueries: outstanding.map(({ detail }) => detail(facts)),
    isMfaRequired: required.length > 0,
    isMfaComplete: required.length > 0 && outstanding.length === 0,
  };
}
