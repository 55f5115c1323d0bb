import type { z } from 'zod';
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
import { sound } from './sound-contracts.ts';

/** The contracts of all entities. The key of a contract is the name of its table and of its resource in both APIs. */
export const contracts = sound({
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

export type AuthenticatorCreate = z.output<typeof authenticators.create>;
export type AuthenticatorUpdate = z.output<typeof authenticators.update>;
export type AuthenticatorPatch = z.output<typeof authenticators.patch>;
export type AuthenticatorDetail = z.output<typeof authenticators.detail>;
export type AuthPolicyCreate = z.output<typeof authPolicies.create>;
export type AuthPolicyUpdate = z.output<typeof authPolicies.update>;
export type AuthPolicyPatch = z.output<typeof authPolicies.patch>;
export type AuthPolicyDetail = z.output<typeof authPolicies.detail>;
export type CaCreate = z.output<typeof cas.create>;
export type CaUpdate = z.output<typeof cas.update>;
export type CaPatch = z.output<typeof cas.patch>;
export type CaDetail = z.output<typeof cas.detail>;
export type ConfigCreate = z.output<typeof configs.create>;
export type ConfigUpdate = z.output<typeof configs.update>;
export type ConfigPatch = z.output<typeof configs.patch>;
export type ConfigDetail = z.output<typeof configs.detail>;
export type ConfigTypeCreate = z.output<typeof configTypes.create>;
export type ConfigTypeUpdate = z.output<typeof configTypes.update>;
export type ConfigTypePatch = z.output<typeof configTypes.patch>;
export type ConfigTypeDetail = z.output<typeof configTypes.detail>;
export type EdgeRouterPolicyCreate = z.output<typeof edgeRouterPolicies.create>;
export type EdgeRouterPolicyUpdate = z.output<typeof edgeRouterPolicies.update>;
export type EdgeRouterPolicyPatch = z.output<typeof edgeRouterPolicies.patch>;
export type EdgeRouterPolicyDetail = z.output<typeof edgeRouterPolicies.detail>;
export type EdgeRouterCreate = z.output<typeof edgeRouters.create>;
export type EdgeRouterUpdate = z.output<typeof edgeRouters.update>;
export type EdgeRouterPatch = z.output<typeof edgeRouters.patch>;
export type EdgeRouterDetail = z.output<typeof edgeRouters.detail>;
export type EnrollmentCreate = z.output<typeof enrollments.create>;
export type EnrollmentDetail = z.output<typeof enrollments.detail>;
export type ExternalJwtSignerCreate = z.output<typeof externalJwtSigners.create>;
export type ExternalJwtSignerUpdate = z.output<typeof externalJwtSigners.update>;
export type ExternalJwtSignerPatch = z.output<typeof externalJwtSigners.patch>;
export type ExternalJwtSignerDetail = z.output<typeof externalJwtSigners.detail>;
export type IdentityCreate = z.output<typeof identities.create>;
export type IdentityUpdate = z.output<typeof identities.update>;
export type IdentityPatch = z.output<typeof identities.patch>;
export type IdentityDetail = z.output<typeof identities.detail>;
export type IdentityTypeDetail = z.output<typeof identityTypes.detail>;
export type PostureCheckCreate = z.output<typeof postureChecks.create>;
export type PostureCheckUpdate = z.output<typeof postureChecks.update>;
export type PostureCheckPatch = z.output<typeof postureChecks.patch>;
export type PostureCheckDetail = z.output<typeof postureChecks.detail>;
export type PostureCheckTypeDetail = z.output<typeof postureCheckTypes.detail>;
export type ServiceEdgeRouterPolicyCreate = z.output<typeof serviceEdgeRouterPolicies.create>;
export type ServiceEdgeRouterPolicyUpdate = z.output<typeof serviceEdgeRouterPolicies.update>;
export type ServiceEdgeRouterPolicyPatch = z.output<typeof serviceEdgeRouterPolicies.patch>;
export type ServiceEdgeRouterPolicyDetail = z.output<typeof serviceEdgeRouterPolicies.detail>;
export type ServicePolicyCreate = z.output<typeof servicePolicies.create>;
export type ServicePolicyUpdate = z.output<typeof servicePolicies.update>;
export type ServicePolicyPatch = z.output<typeof servicePolicies.patch>;
export type ServicePolicyDetail = z.output<typeof servicePolicies.detail>;
export type ServiceCreate = z.output<typeof services.create>;
export type ServiceUpdate = z.output<typeof services.update>;
export type ServicePatch = z.output<typeof services.patch>;
export type ServiceDetail = z.output<typeof services.detail>;
export type TerminatorCreate = z.output<typeof terminators.create>;
export type TerminatorUpdate = z.output<typeof terminators.update>;
export type TerminatorPatch = z.output<typeof terminators.patch>;
export type TerminatorDetail = z.output<typeof terminators.detail>;
export type RouterCreate = z.output<typeof transitRouters.create>;
export type RouterUpdate = z.output<typeof transitRouters.update>;
export type RouterPatch = z.output<typeof transitRouters.patch>;
export type RouterDetail = z.output<typeof transitRouters.detail>;
