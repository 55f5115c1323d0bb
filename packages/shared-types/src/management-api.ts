import { contracts } from './contracts.ts';
import { apiSessions } from './entities/api-sessions.ts';
import { atPath, entityOperations } from './entity-operations.ts';
import { authentication } from './flows/authenticate.ts';
import { currentIdentity, currentIdentityAuthenticators } from './flows/current-identity.ts';
import { currentApiSession } from './flows/current-session.ts';
import { currentIdentityMfa } from './flows/mfa.ts';
import { specs, version, wellKnown } from './info.ts';

const entities = entityOperations(contracts);

/** The Management API, below `/edge/management/v1`. Administrators use it. */
export const managementApi = {
  ...entities,
  apiSessions,
  authentication,
  currentApiSession,
  currentIdentity,
  currentIdentityAuthenticators,
  currentIdentityMfa,
  routers: atPath(entities.transitRouters, '/transit-routers', '/routers'),
  specs,
  version,
  wellKnown,
} as const;
