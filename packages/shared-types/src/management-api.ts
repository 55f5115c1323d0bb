import { contracts } from './contracts.ts';
import { apiSessions } from './entities/api-sessions.ts';
import { circuits } from './entities/circuits.ts';
import { links } from './entities/links.ts';
import { sessions } from './entities/sessions.ts';
import { atPath, entityOperations } from './entity-operations.ts';
import { auditLog } from './flows/audit-log.ts';
import { authentication } from './flows/authenticate.ts';
import { controllers } from './flows/controllers.ts';
import { currentIdentity, currentIdentityAuthenticators } from './flows/current-identity.ts';
import { currentApiSession } from './flows/current-session.ts';
import { currentIdentityMfa } from './flows/mfa.ts';
import { summary } from './flows/summary.ts';
import { enumeratedCapabilities, networkJwts, specs, version, wellKnown } from './info.ts';

const entities = entityOperations(contracts);

/** All routers: edge routers and transit routers. */
const routers = atPath(entities.transitRouters, '/transit-routers', '/routers');

/** The Management API, below `/edge/management/v1`: for administrators, and for identities with permissions. */
export const managementApi = {
  ...entities,
  apiSessions,
  auditLog,
  authentication,
  circuits,
  controllers,
  currentApiSession,
  currentIdentity,
  currentIdentityAuthenticators,
  currentIdentityMfa,
  enumeratedCapabilities,
  links,
  networkJwts,
  routers,
  sessions,
  specs,
  summary,
  version,
  wellKnown,
} as const;
