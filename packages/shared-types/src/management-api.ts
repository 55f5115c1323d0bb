import { contracts } from './contracts.ts';
import { apiSessions } from './entities/api-sessions.ts';
import { entityOperations } from './entity-operations.ts';
import { authentication } from './flows/authenticate.ts';
import { currentIdentity, currentIdentityAuthenticators } from './flows/current-identity.ts';
import { currentApiSession } from './flows/current-session.ts';
import { currentIdentityMfa } from './flows/mfa.ts';
import { specs, version, wellKnown } from './info.ts';

/** The Management API, below `/edge/management/v1`. Administrators use it. */
export const managementApi = {
  ...entityOperations(contracts),
  apiSessions,
  authentication,
  currentApiSession,
  currentIdentity,
  currentIdentityAuthenticators,
  currentIdentityMfa,
  specs,
  version,
  wellKnown,
} as const;
