import { apiSessions } from './entities/api-sessions.ts';
import { authenticators } from './entities/authenticators.ts';
import { identities } from './entities/identities.ts';
import { authentication } from './flows/authenticate.ts';
import { currentApiSession } from './flows/current-session.ts';
import { specs, version } from './info.ts';

/** The Management API, below `/edge/management/v1`: used by administrators. */
export const managementApi = {
  apiSessions,
  authentication,
  authenticators,
  currentApiSession,
  identities,
  specs,
  version,
} as const;
