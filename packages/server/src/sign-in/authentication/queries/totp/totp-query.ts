import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { Settings } from '../../../../core/config/schema.ts';
import type { AuthQuery } from '../../../../sessions/auth-state.ts';

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
 * requires TOTP and the identity has none, the session stays partial until the client enrolls. The same when the setting asks
 * for a second factor of whoever has rights, and the policy asks for no other one.
 */
export function createTotpQuery(settings: Pick<Settings, 'adminRequireSecondFactor'>): AuthQuery {
  return {
    isFactor: true,
    isRequired({ mfaId, hasRights, policy: { secondary } }) {
      if (mfaId !== null || secondary.requireTotp) return true;
      return hasRights && settings.adminRequireSecondFactor && !secondary.requireExtJwtSigner;
    },
    isOutstanding: ({ mfaId, provenMfaId }) => mfaId === null || provenMfaId !== mfaId,
    detail: ({ mfaId }) => ({ ...mfaQuery, isTotpEnrolled: mfaId !== null }),
  };
}
