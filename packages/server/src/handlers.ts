import type { clientApi, managementApi } from '@edge-controller/shared-types';
import { authentication } from './authentication/authenticate.ts';
import { currentIdentityMfa } from './authentication/queries/totp/current-identity-mfa.ts';
import type { Handlers } from './call.ts';
import { handlersOf, relatedList } from './crud/handlers-of.ts';
import { referring } from './crud/relations.ts';
import { enroll } from './enrollment/enroll.ts';
import { extension } from './enrollment/extend.ts';
import { authenticatorHandlers } from './entities/authenticators/authenticator-handlers.ts';
import { currentIdentityAuthenticators as ownAuthenticators } from './entities/authenticators/current-identity-authenticators.ts';
import { caActions } from './entities/cas/ca-actions.ts';
import { enrollmentHandlers } from './entities/enrollments.ts';
import { publicSigners } from './entities/external-jwt-signers/public-signers.ts';
import { signerChanges } from './entities/external-jwt-signers/signer-changes.ts';
import { testSigner } from './entities/external-jwt-signers/test-signer.ts';
import { createCurrentIdentity } from './entities/identities/current-identity.ts';
import { identityActions } from './entities/identities/identity-actions.ts';
import type { InfoHandlers } from './info/info-handlers.ts';
import { apiSessions } from './sessions/api-sessions.ts';
import { currentApiSession } from './sessions/current-session.ts';
import { currentApiSessionCertificates } from './sessions/session-certificates.ts';

/** Every handler of both APIs, one line per resource; a missing one does not compile. */
export function createHandlers(info: InfoHandlers): {
  client: Handlers<typeof clientApi>;
  management: Handlers<typeof managementApi>;
} {
  const currentIdentity = createCurrentIdentity();
  const currentIdentityAuthenticators = { ...ownAuthenticators, ...extension };
  return {
    client: {
      authentication,
      currentApiSession,
      currentApiSessionCertificates,
      currentIdentity,
      currentIdentityAuthenticators,
      currentIdentityMfa,
      enroll,
      externalJwtSigners: publicSigners,
      specs: info.specs,
      version: info.version,
      wellKnown: info.wellKnown,
    },
    management: {
      apiSessions,
      authentication,
      authPolicies: handlersOf('authPolicies'),
      authenticators: authenticatorHandlers,
      cas: { ...handlersOf('cas'), ...caActions },
      currentApiSession,
      currentIdentity,
      currentIdentityAuthenticators,
      currentIdentityMfa,
      enrollments: enrollmentHandlers,
      externalJwtSigners: { ...handlersOf('externalJwtSigners'), ...signerChanges, test: testSigner },
      identities: {
        ...handlersOf('identities'),
        ...identityActions,
        authenticators: relatedList('authenticators', referring('identityId')),
        enrollments: relatedList('enrollments', referring('identityId')),
      },
      specs: info.specs,
      version: info.version,
      wellKnown: info.wellKnown,
    },
  };
}
