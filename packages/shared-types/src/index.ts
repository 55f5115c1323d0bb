export { clientApi } from './client-api.ts';
export type { EntityData } from './contracts.ts';
export { contracts } from './contracts.ts';
export { definitions } from './definitions.ts';
export type { ApiSessionDetail } from './entities/api-sessions.ts';
export type { ExternalIdClaim } from './entities/cas.ts';
export type { CircuitDetail } from './entities/circuits.ts';
export type {
  CommonEdgeRouter,
  CurrentIdentityEdgeRouterDetail,
  TerminatorClientDetail,
} from './entities/client-routers.ts';
export type { ClientExternalJwtSignerDetail, ExternalJwtCheck } from './entities/external-jwt-signers.ts';
export type { LinkDetail } from './entities/links.ts';
export type { PolicyAdvice } from './entities/policy-advice.ts';
export type { FailedServiceRequest, PostureCheckFailure, PostureData } from './entities/posture-data.ts';
export type { SessionCreate, SessionDetail } from './entities/sessions.ts';
export type { AnyContract } from './entity.ts';
export { hasAttributes } from './entity.ts';
export type { RelatedEntities } from './entity-operations.ts';
export {
  callerOperations,
  relatedEntities,
  resourceOf,
} from './entity-operations.ts';
export type {
  ApiErrorBody,
  ApiErrorCause,
  CreateLocation,
  EntityRef,
  ErrorEnvelope,
  Link,
  Links,
  ListMeta,
  ListQuery,
  RoleListQuery,
  Tags,
} from './envelope.ts';
export { notAnObject, tags } from './envelope.ts';
export { type ErrorCode, type ErrorEntry, errorCatalogue } from './errors.ts';
export { fabricApi } from './fabric-api.ts';
export type { Field, Fields } from './field.ts';
export { bare } from './field.ts';
export type { AccountEvent } from './flows/account-events.ts';
export type { AuditCheckpointDetail, AuditEntryDetail } from './flows/audit-log.ts';
export type { AuthQueryDetail } from './flows/auth-queries.ts';
export type { Authenticate, AuthenticationMethod } from './flows/authenticate.ts';
export { authenticationMethods } from './flows/authenticate.ts';
export type { ControllerDetail } from './flows/controllers.ts';
export type { AuthenticatorPatchWithCurrent, AuthenticatorUpdateWithCurrent } from './flows/current-identity.ts';
export type { CurrentApiSessionDetail, SessionCertificateDetail } from './flows/current-session.ts';
export type { EnrollmentResult, GenericEnroll } from './flows/enroll.ts';
export type { DetailMfa, DetailMfaRecoveryCodes } from './flows/mfa.ts';
export type { PostureResponse, PostureResponseCreate } from './flows/posture-response.ts';
export type { EnvInfo, NetworkJwt, SdkInfo, SpecDetail, VersionDetail } from './info.ts';
export { capability } from './info.ts';
export { managementApi } from './management-api.ts';
export type {
  Access,
  ApiTree,
  BodySchema,
  Data,
  DocumentType,
  Input,
  Method,
  Operation,
  RequestType,
  Resource,
  Result,
} from './operation.ts';
export type { Action, Permission, PermissionName } from './permission.ts';
export { grantable, permissionNames } from './permission.ts';
export type { Relation } from './relation.ts';
