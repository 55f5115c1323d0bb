export type { Clock } from '../clock.ts';
export {
  isEdgeApiError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
  isEdgeTlsError,
} from '../error-guards.ts';
export {
  EdgeApiError,
  EdgeInvalidResponseError,
  EdgeNetworkError,
  EdgeTimeoutError,
  EdgeTlsError,
  type TlsReason,
} from '../errors.ts';
export type { AuthQueryDetail } from '../generated/entities.ts';
export type { Fetch } from '../options.ts';
export type { EdgeSessionOptions } from './check-request.ts';
export {
  createSessionVerifier,
  type SessionVerifier,
  type SessionVerifierOptions,
  type VerifyOptions,
} from './create-session-verifier.ts';
export { type ExpressSessionRequest, type ExpressSessionResponse, expressSession } from './express-session.ts';
export { type HonoSessionContext, honoSession } from './hono-session.ts';
export { type KoaSessionContext, koaSession } from './koa-session.ts';
export type { VerifiedSession } from './verified-session.ts';
