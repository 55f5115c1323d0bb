import { defineEntities } from '../crud/define-entity.ts';
import { authPolicies } from './auth-policies.ts';
import { authenticators } from './authenticators/authenticators.ts';
import { cas } from './cas/cas.ts';
import { configTypes } from './config-types.ts';
import { configs } from './configs.ts';
import { enrollments } from './enrollments.ts';
import { externalJwtSigners } from './external-jwt-signers/external-jwt-signers.ts';
import { identities } from './identities/identities.ts';
import { services } from './network-services/services.ts';
import { edgeRouterPolicies, serviceEdgeRouterPolicies, servicePolicies } from './policies.ts';
import { postureChecks } from './posture-checks.ts';
import { edgeRouters } from './routers/edge-routers.ts';
import { terminators } from './routers/terminators.ts';
import { transitRouters } from './routers/transit-routers.ts';

/** The entities with rules of their own. All others have only their contract. */
export const definitions = defineEntities({
  authenticators,
  authPolicies,
  cas,
  configs,
  configTypes,
  edgeRouterPolicies,
  edgeRouters,
  enrollments,
  externalJwtSigners,
  identities,
  postureChecks,
  serviceEdgeRouterPolicies,
  servicePolicies,
  services,
  terminators,
  transitRouters,
});
