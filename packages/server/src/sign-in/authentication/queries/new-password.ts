import type { Settings } from '../../../core/config/schema.ts';
import type { AuthQuery } from '../../../sessions/auth-state.ts';

/** Characters of the longest password, as on the wire. */
const maxLength = 100;

/**
 * A new password, for one that somebody else has set. Its owner changes it with the API session that it has opened, and with no
 * other operation. It is no second factor.
 */
export function createNewPasswordQuery(settings: Pick<Settings, 'changeInitialPasswords'>): AuthQuery {
  return {
    isFactor: false,
    isRequired: ({ method, isPasswordOfOther }) =>
      settings.changeInitialPasswords && method === 'password' && isPasswordOfOther,
    isOutstanding: () => true,
    detail: ({ authenticatorId, policy }) => ({
      typeId: 'NEW-PASSWORD',
      provider: 'ziti',
      id: authenticatorId,
      httpMethod: 'PATCH',
      httpUrl: `./current-identity/authenticators/${authenticatorId}`,
      minLength: policy.primary.updb.minPasswordLength,
      maxLength,
      scopes: null,
    }),
  };
}
