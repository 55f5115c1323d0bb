import { contracts } from './contracts.ts';
import { clientServices, currentIdentityEdgeRouters } from './entities/client-routers.ts';
import { clientExternalJwtSigners } from './entities/external-jwt-signers.ts';
import { clientSessions } from './entities/sessions.ts';
import { callerOperations } from './entity-operations.ts';
import { currentIdentityEvents } from './flows/account-events.ts';
import { authentication } from './flows/authenticate.ts';
import { controllers } from './flows/controllers.ts';
import {
  currentIdentity,
  currentIdentityApiSessions,
  currentIdentityAuthenticators,
} from './flows/current-identity.ts';
import { clientApiSession, currentApiSessionCertificates } from './flows/current-session.ts';
import { enroll } from './flows/enroll.ts';
import { currentIdentityMfa } from './flows/mfa.ts';
import { postureResponses } from './flows/posture-response.ts';
import { enumeratedCapabilities, networkJwts, protocols, specs, version, wellKnown } from './info.ts';

const ownEntities = callerOperations(contracts);

/** The Client API, below `/edge/client/v1`. Applications use it to access services. */
export const clientApi = {
  ...ownEntities,
  authentication,
  controllers,
  currentApiSession: clientApiSession,
  currentApiSessionCertificates,
  currentIdentity,
  currentIdentityApiSessions,
  currentIdentityAuthenticators,
  currentIdentityEdgeRouters,
  currentIdentityEvents,
  currentIdentityMfa,
  enroll,
  enumeratedCapabilities,
  externalJwtSigners: clientExternalJwtSigners,
  networkJwts,
  postureResponses,
  protocols,
  services: { ...ownEntities.services, ...clientServices },
  sessions: clientSessions,
  specs,
  version,
  wellKnown,
} as const;
