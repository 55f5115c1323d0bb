import type { z } from 'zod';
import { checkContracts } from './check-contracts.ts';
import { authPolicies } from './entities/auth-policies.ts';
import { authenticators } from './entities/authenticators.ts';
import { cas } from './entities/cas.ts';
import { configs, configTypes } from './entities/configs.ts';
import { edgeRouters } from './entities/edge-routers.ts';
import { enrollments } from './entities/enrollments.ts';
import { externalJwtSigners } from './entities/external-jwt-signers.ts';
import { identities } from './entities/identities.ts';
import { identityTypes } from './entities/identity-types.ts';
import { postureChecks, postureCheckTypes } from './entities/posture-checks.ts';
import { edgeRouterPolicies, serviceEdgeRouterPolicies } from './entities/router-policies.ts';
import { servicePolicies } from './entities/service-policies.ts';
import { services } from './entities/services.ts';
import { terminators } from './entities/terminators.ts';
import { transitRouters } from './entities/transit-routers.ts';

/** The contracts of all entities. The key of a contract is the name of its table and of its resource in both APIs. */
export const contracts = checkContracts({
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
  identityTypes,
  postureChecks,
  postureCheckTypes,
  serviceEdgeRouterPolicies,
  servicePolicies,
  services,
  terminators,
  transitRouters,
});

/** An entity in JSON: what a request sends (`create`, `update`, `patch`), and what a response has (`detail`). */
export type EntityData<
  E extends keyof typeof contracts,
  Shape extends 'create' | 'update' | 'patch' | 'detail' = 'detail',
> = z.output<(typeof contracts)[E][Shape]>;
