import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { AuthPolicy } from '../entities/auth-policy.ts';
import type { ApiSessionRecord } from '../stores/session-store.ts';

/** What decides how far an API session is authenticated. */
export interface AuthFacts {
  /** The primary method that the session was opened with. */
  readonly method: ApiSessionRecord['method'];
  readonly policy: AuthPolicy;
  /** The verified TOTP of the identity, if it has one. */
  readonly mfaId: string | null;
  /** The TOTP whose code the session has proven. */
  readonly provenMfaId: string | null;
  /** Ids of the signers of whom this very request carries a valid token of the identity. */
  readonly provenSigners: ReadonlySet<string>;
}

export interface AuthState {
  /** False when the policy does not allow the primary method (any more): the session is worth nothing now. */
  readonly isAllowed: boolean;
  /** What remains to be answered, in the order of the wire; empty: full. */
  readonly authQueries: readonly AuthQueryDetail[];
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
}

/** The query that a TOTP or recovery code answers (specification 2.3). */
const mfaQuery: AuthQueryDetail = {
  typeId: 'MFA',
  provider: 'ziti',
  format: 'alphaNumeric',
  minLength: 4,
  maxLength: 6,
  httpMethod: 'POST',
  httpUrl: './authenticate/mfa',
  scopes: null,
};

/**
 * Decides how far a session is authenticated (specification 3.1, 5.2, 5.3). A pure function, asked at every request:
 * whatever changes a policy or a factor counts from the next one. TOTP that is enrolled is required, whatever the policy
 * says; a policy that requires it of an identity without TOTP leaves the session partial until it is enrolled.
 */
export function authState({ method, policy, mfaId, provenMfaId, provenSigners }: AuthFacts): AuthState {
  const { primary, secondary } = policy;
  const isAllowed = { password: primary.updb, cert: primary.cert, 'ext-jwt': primary.extJwt }[method].allowed;
  const needsTotp = mfaId !== null || secondary.requireTotp;
  const hasProvenTotp = mfaId !== null && provenMfaId === mfaId;
  const signer = secondary.requireExtJwtSigner ?? null;
  const authQueries: AuthQueryDetail[] = [];
  if (needsTotp && !hasProvenTotp) authQueries.push(mfaQuery);
  if (signer !== null && !provenSigners.has(signer)) {
    authQueries.push({ typeId: 'EXT-JWT', provider: 'url', id: signer, scopes: null });
  }
  const isMfaRequired = needsTotp || signer !== null;
  return { isAllowed, authQueries, isMfaRequired, isMfaComplete: isMfaRequired && authQueries.length === 0 };
}
