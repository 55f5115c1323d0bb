import { apiSessions } from './entities/api-sessions.ts';
import { authPolicies } from './entities/auth-policies.ts';
import { authenticatorActions, authenticators } from './entities/authenticators.ts';
import { caActions, cas } from './entities/cas.ts';
import { enrollmentOperations, enrollments } from './entities/enrollments.ts';
import { externalJwtSignerActions, externalJwtSigners } from './entities/external-jwt-signers.ts';
import { identities, identityActions } from './entities/identities.ts';
import { operationsOf, related } from './entity.ts';
import { authentication } from './flows/authenticate.ts';
import { currentIdentity, currentIdentityAuthenticators } from './flows/current-identity.ts';
import { currentApiSession } from './flows/current-session.ts';
import { currentIdentityMfa } from './flows/mfa.ts';
import { specs, version, wellKnown } from './info.ts';

/** The Management API, below `/edge/management/v1`. Administrators use it. */
export const managementApi = {
  apiSessions,
  authentication,
  authPolicies: operationsOf(authPolicies, {
    create: ['NOT_FOUND'],
    update: ['LAST_ADMINISTRATOR'],
    patch: ['LAST_ADMINISTRATOR'],
  }),
  authenticators: {
    ...operationsOf(authenticators, {
      create: ['NOT_FOUND', 'MAX_AUTHENTICATOR_METHODS_REACHED', 'SERVER_TOO_MANY_REQUESTS'],
      update: ['SERVER_TOO_MANY_REQUESTS'],
      patch: ['SERVER_TOO_MANY_REQUESTS'],
      delete: ['LAST_ADMINISTRATOR'],
    }),
    ...authenticatorActions,
  },
  cas: { ...operationsOf(cas), ...caActions },
  currentApiSession,
  currentIdentity,
  currentIdentityAuthenticators,
  currentIdentityMfa,
  enrollments: enrollmentOperations,
  externalJwtSigners: { ...operationsOf(externalJwtSigners), ...externalJwtSignerActions },
  identities: {
    ...operationsOf(identities, {
      create: ['NOT_FOUND'],
      update: ['LAST_ADMINISTRATOR'],
      patch: ['LAST_ADMINISTRATOR'],
      delete: ['LAST_ADMINISTRATOR', 'ENTITY_CAN_NOT_BE_DELETED'],
    }),
    ...identityActions,
    authenticators: related(identities, 'authenticators', authenticators),
    enrollments: related(identities, 'enrollments', enrollments),
  },
  specs,
  version,
  wellKnown,
} as const;
