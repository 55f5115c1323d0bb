export { clientApi } from './client-api.ts';
export { definitions } from './definitions.ts';
export type { ApiSessionDetail } from './entities/api-sessions.ts';
export type {
  AuthPolicyCreate,
  AuthPolicyDetail,
  AuthPolicyPatch,
  AuthPolicyUpdate,
} from './entities/auth-policies.ts';
export type {
  AuthenticatorCreate,
  AuthenticatorDetail,
  AuthenticatorPatch,
  AuthenticatorUpdate,
} from './entities/authenticators.ts';
export type { IdentityCreate, IdentityDetail, IdentityPatch, IdentityUpdate } from './entities/identities.ts';
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
  Tags,
} from './envelope.ts';
export { type ErrorCode, type ErrorEntry, errorCatalogue } from './errors.ts';
export type { AuthQueryDetail } from './flows/auth-queries.ts';
export type { Authenticate, AuthenticationMethod } from './flows/authenticate.ts';
export type { AuthenticatorPatchWithCurrent, AuthenticatorUpdateWithCurrent } from './flows/current-identity.ts';
export type { CurrentApiSessionDetail } from './flows/current-session.ts';
export type { GenericEnroll } from './flows/enroll.ts';
export type { DetailMfa, DetailMfaRecoveryCodes } from './flows/mfa.ts';
export type { EnvInfo, SdkInfo, SpecDetail, VersionDetail } from './info.ts';
export { managementApi } from './management-api.ts';
export type {
  Access,
  ApiTree,
  Data,
  DocumentType,
  Input,
  Method,
  Operation,
  Permission,
  RequestType,
  Resource,
  Result,
} from './operation.ts';
