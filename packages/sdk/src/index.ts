export type { AuthQueryAnswer, AuthQueryAnswers, OnAuthQuery } from './auth-query.ts';
export { createEdgeClient } from './client.ts';
export type { ClientKeys, KeyType } from './client-keys.ts';
export type { EdgeClient, SignOutResult } from './edge-client.ts';
export type { ClientIdentity, Enroll, EnrolledIdentity, Enrollment, EnrollOptions } from './enroll.ts';
export { enroll } from './enroll-with-jwt.ts';
export type { EnrollmentMethod } from './enrollment-jwt.ts';
export {
  isEdgeApiError,
  isEdgeAuthQueryError,
  isEdgeEnrollmentError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
  isEdgeTlsError,
  isEdgeTokenError,
  isWrongCode,
} from './error-guards.ts';
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
} from './errors.ts';
export type { EdgeEvents, StateChange } from './events.ts';
export { type FilterValue, filter } from './filter.ts';
export type * from './generated/calls.ts';
export type { EdgeErrorCode } from './generated/edge-error-code.ts';
export type * from './generated/entities.ts';
export type { JwtChallenge } from './jwt-challenge.ts';
export type { ListMeta, ListPage } from './list-page.ts';
export type { Mfa, TotpEnrollment } from './mfa.ts';
export type { CallOptions, EdgeClientOptions, EdgeRequest, Fetch, Logger, Reauthenticate } from './options.ts';
export { type ListCall, pages } from './pages.ts';
export type { SecondaryToken } from './secondary-tokens.ts';
export type { Session } from './session.ts';
export type { ClientState } from './session-state.ts';

export type { ClientInfo, JwtCredentials, PasswordCredentials, SignIn, SignInOptions } from './sign-in.ts';
export type { WebStorageLike } from './storage/area-storage.ts';
export { memoryStorage } from './storage/memory-storage.ts';
export type { StorageChannel, TokenStorage } from './storage/token-storage.ts';
export { webStorage } from './storage/web-storage.ts';
export type { GetToken, TokenRequest } from './token-source.ts';
