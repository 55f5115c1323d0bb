import type { clientApi, managementApi } from '@edge-controller/shared-types';
import { authentication } from './authentication/authenticate.ts';
import { currentIdentityMfa } from './authentication/queries/totp/current-identity-mfa.ts';
import type { Handlers } from './call.ts';
import { enroll } from './enrollment/enroll.ts';
import { authPolicies } from './entities/auth-policies/auth-policies.ts';
import { authenticators } from './entities/authenticators/authenticators.ts';
import { currentIdentityAuthenticators } from './entities/authenticators/current-identity-authenticators.ts';
import { currentIdentity } from './entities/identities/current-identity.ts';
import { identities } from './entities/identities/identities.ts';
import type { InfoHandlers } from './info/info-handlers.ts';
import { apiSessions } from './sessions/api-sessions.ts';
import { currentApiSession } from './sessions/current-session.ts';

/** Every handler of both APIs, one line per resource; a missing one does not compile. */
export function createHandlers(info: InfoHandlers): {
  client: Handlers<typeof clientApi>;
  management: Handlers<typeof managementApi>;
} {
  return {
    client: {
      authentication,
      currentApiSession,
      currentIdentity,
      currentIdentityAuthenticators,
      currentIdentityMfa,
      enroll,
      specs: info.specs,
      version: info.version,
      wellKnown: info.wellKnown,
    },
    management: {
      apiSessions,
      authentication,
      authPolicies,
      authenticators,
      currentApiSession,
      currentIdentity,
      currentIdentityAuthenticators,
      currentIdentityMfa,
      identities,
      specs: info.specs,
      version: info.version,
      wellKnown: info.wellKnown,
    },
  };
}
