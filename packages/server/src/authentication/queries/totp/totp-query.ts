import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { AuthQuery } from '../../../sessions/auth-state.ts';

/** Answered with a TOTP or a recovery code (specification 2.3). */
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
 * TOTP (RFC 6238). An enrolled TOTP is required, whatever the policy says. When the policy requires it of an identity
 * without TOTP, the session stays partial until the client enrolls.
 */
export const totp: AuthQuery = {
  isRequired: ({ mfaId, policy }) => mfaId !== null || policy.secondary.requireTotp,
  isOutstanding: ({ mfaId, provenMfaId }) => mfaId === null || provenMfaId !== mfaId,
  detail: () => mfaQuery,
};
