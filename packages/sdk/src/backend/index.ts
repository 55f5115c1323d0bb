export type { Fetch } from '../api/fetch.ts';
export type { AuthQueryDetail } from '../api/generated/entities.ts';
export {
  isEdgeApiError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
  isEdgeTlsError,
} from '../errors/error-guards.ts';
export {
  EdgeApiError,
  EdgeInvalidResponseError,
  EdgeNetworkError,
  EdgeTimeoutError,
  EdgeTlsError,
  type TlsReason,
} from '../errors/errors.ts';
export type { Clock } from '../lib/clock.ts';
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
