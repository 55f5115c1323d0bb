export type { AuthQueryAnswer, AuthQueryAnswers, NewPassword, OnAuthQuery } from '../api/auth-query.ts';
export type { CallOptions } from '../api/call-options.ts';
export type { ClientKeys, KeyType } from '../api/client-keys.ts';
export type { ClientState } from '../api/client-state.ts';
export type { EdgeClock } from '../api/edge-clock.ts';
export type { EdgeEvents, StateChange } from '../api/edge-events.ts';
export type { ClientIdentity, Enroll, EnrolledIdentity, Enrollment, EnrollOptions } from '../api/enroll.ts';
export type { EnrollmentMethod } from '../api/enrollment-method.ts';
export type { Fetch } from '../api/fetch.ts';
export type * from '../api/generated/calls.ts';
export type { EdgeErrorCode } from '../api/generated/edge-error-code.ts';
export type * from '../api/generated/entities.ts';
export type { GetToken, TokenRequest } from '../api/get-token.ts';
export type { JwtChallenge } from '../api/jwt-challenge.ts';
export type { ListCall } from '../api/list-call.ts';
export type { ListMeta, ListPage } from '../api/list-page.ts';
export type { Mfa, TotpEnrollment } from '../api/mfa.ts';
export type { EdgeClientOptions, EdgeRequest, Logger, OnStepUp, Reauthenticate } from '../api/options.ts';
export type {
  DeviceOs,
  DeviceProcess,
  PostureAnswer,
  PostureProvider,
  PostureRequest,
  ProcessRequest,
} from '../api/posture-provider.ts';
export type { SecondaryToken } from '../api/secondary-token.ts';
export type { ServiceSessions } from '../api/service-sessions.ts';
export type { ServiceChangesOptions, Services } from '../api/services.ts';
export type { FullSession, PartialSession, Session, SessionBase } from '../api/session.ts';
export type { SessionSnapshot } from '../api/session-snapshot.ts';
export type { ClientInfo, JwtCredentials, PasswordCredentials, SignIn, SignInOptions } from '../api/sign-in.ts';
export type { SignOutResult } from '../api/sign-out-result.ts';
export type { StorageChannel, TokenStorage } from '../api/token-storage.ts';
export { type FilterValue, filter } from '../calls/filter.ts';
export {
  type FailingPostureChecks,
  isEdgeApiError,
  isEdgeAuthQueryError,
  isEdgeEnrollmentError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
  isEdgeTlsError,
  isEdgeTokenError,
  isInvalidPosture,
  isWrongCode,
  isWrongCredentials,
} from '../errors/error-guards.ts';
export {
  type AuthQueryCode,
  EdgeApiError,
  EdgeAuthQueryError,
  EdgeEnrollmentError,
  EdgeInvalidResponseError,
  EdgeNetworkError,
  EdgeTimeoutError,
  EdgeTlsError,
  EdgeTokenError,
  type EnrollmentErrorCode,
  type TlsReason,
  type TokenErrorCode,
} from '../errors/errors.ts';
export type { WebStorageLike } from '../storage/area-storage.ts';
export { cookieStorage } from '../storage/cookie-storage.ts';
export { memoryStorage } from '../storage/memory-storage.ts';
export { webStorage } from '../storage/web-storage.ts';
export { createEdgeClient } from './create-edge-client.ts';
export type { EdgeClient } from './edge-client.ts';
export { enroll } from './enroll-with-jwt.ts';
export { pagePosture } from './page-posture.ts';
export { pages } from './pages.ts';
