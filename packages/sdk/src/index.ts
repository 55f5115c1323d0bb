export type { AuthQueryDetail, ClientExternalJwtSignerDetail } from '@edge-controller/shared-types';
export type { AuthQueryAnswer, AuthQueryAnswers, OnAuthQuery } from './auth-query.ts';
export type { CallArguments, CallResult, ClientCalls, ListPage, ManagementCalls } from './calls.ts';
export { createEdgeClient, type EdgeClient } from './client.ts';
export type { ClientKeys, KeyType } from './client-keys.ts';
export type { ClientIdentity, Enroll, EnrolledIdentity, Enrollment, EnrollOptions } from './enroll.ts';
export { enroll } from './enroll-with-jwt.ts';
export { EdgeEnrollmentError, isEdgeEnrollmentError } from './enrollment-error.ts';
export type { EnrollmentMethod } from './enrollment-jwt.ts';
export {
  EdgeApiError,
  EdgeAuthQueryError,
  EdgeInvalidResponseError,
  EdgeNetworkError,
  EdgeTimeoutError,
  isEdgeApiError,
  isEdgeAuthQueryError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
  isWrongCode,
} from './errors.ts';
export type { EdgeEvents } from './events.ts';
export type { JwtChallenge } from './jwt-challenge.ts';
export type { Mfa, TotpEnrollment } from './mfa.ts';
export type { CallOptions, EdgeClientOptions, Fetch } from './options.ts';
export { type ListCall, pages } from './pages.ts';
export type { SecondaryToken } from './secondary-tokens.ts';
export type { Session } from './session.ts';
export type { ClientInfo, JwtCredentials, PasswordCredentials, SignInOptions } from './sign-in.ts';
export { memoryStorage } from './storage/memory-storage.ts';
export type { Storage } from './storage/storage.ts';
export { webStorage } from './storage/web-storage.ts';
export { EdgeTlsError, isEdgeTlsError, type TlsReason } from './tls-error.ts';
export { EdgeTokenError, isEdgeTokenError } from './token-error.ts';
export type { GetToken, TokenRequest } from './token-source.ts';
