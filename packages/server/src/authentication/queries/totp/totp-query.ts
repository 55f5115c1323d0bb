import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { AuthQuery } from '../../../sessions/auth-state.ts';

/** A TOTP code or a recovery code answers this query. */
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
 * TOTP (RFC 6238). An enrolled TOTP is always required, also when the policy does not require it. When the policy
 * requires TOTP and the identity has none, the session stays partial until the client enrolls.
 */
export const totp: AuthQuery = {
  isRequired: ({ mfaId, policy }) => mfaId !== null || policy.secondary.requireTotp,
  isOutstanding: ({ mfaId, provenMfaId }) => mfaId === null || provenMfaId !== mfaId,
  detail: () => mfaQuery,
};
