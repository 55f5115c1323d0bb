import { apiSessions } from './entities/api-sessions.ts';
import { authPolicies } from './entities/auth-policies.ts';
import { authenticators } from './entities/authenticators.ts';
import { identities } from './entities/identities.ts';
import { authentication } from './flows/authenticate.ts';
import { currentIdentity, currentIdentityAuthenticators } from './flows/current-identity.ts';
import { currentApiSession } from './flows/current-session.ts';
import { currentIdentityMfa } from './flows/mfa.ts';
import { specs, version, wellKnown } from './info.ts';

/** The Management API, below `/edge/management/v1`. Administrators use it. */
export const managementApi = {
  apiSessions,
  authentication,
  authPolicies,
  authenticators,
  currentApiSession,
  currentIdentity,
  currentIdentityAuthenticators,
  currentIdentityMfa,
  identities,
  specs,
  version,
  wellKnown,
} as const;
