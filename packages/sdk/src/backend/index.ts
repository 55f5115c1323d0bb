export type { Fetch } from '../api/fetch.ts';
export type { AuthQueryDetail } from '../api/generated/entities.ts';
export type { FullSession, PartialSession, Session, SessionBase } from '../api/session.ts';
export type { EdgeClient } from '../client/edge-client.ts';
export {
  isEdgeApiError,
  isEdgeAuthQueryError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
  isEdgeTlsError,
  isWrongCode,
  isWrongCredentials,
} from '../errors/error-guards.ts';
export {
  EdgeApiError,
  EdgeAuthQueryError,
  EdgeInvalidResponseError,
  EdgeNetworkError,
  EdgeTimeoutError,
  EdgeTlsError,
  type TlsReason,
} from '../errors/errors.ts';
export type { Clock } from '../lib/clock.ts';
export type { CookieRequest } from './cookie-sessions/cookie-request.ts';
export { type CookieSessions, createCookieSessions } from './cookie-sessions/create-cookie-sessions.ts';
export { EdgeCrossSiteError, isEdgeCrossSiteError } from './cookie-sessions/cross-site-error.ts';
export type { CookieSessionStore, CookieSessionsOptions } from './cookie-sessions/options.ts';
export type { CookieSession } from './cookie-sessions/page-sessions.ts';
export type { FormCredentials, SignedOut } from './cookie-sessions/session-forms.ts';
export { createSessionVerifier, type SessionVerifierOptions } from './create-session-verifier.ts';
export { type ExpressSessionRequest, type ExpressSessionResponse, expressSession } from './express-session.ts';
export { type HonoSessionContext, honoSession } from './hono-session.ts';
export { type KoaSessionContext, koaSession } from './koa-session.ts';
export type {
  EdgeSessionOptions,
  RequestSession,
  RequestWithHeaders,
  SessionVerifier,
  VerifiedRequest,
  VerifyOptions,
} from './session-verifier.ts';
export type { PartialVerifiedSession, VerifiedSession, VerifiedSessionBase } from './verified-session.ts';
