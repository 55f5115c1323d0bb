import type { EdgeSessionOptions } from './check-request.ts';
import { checkRequest } from './check-request.ts';
import type { SessionVerifier } from './create-session-verifier.ts';
import type { VerifiedSession } from './verified-session.ts';

declare global {
  // biome-ignore lint/style/noNamespace: the types of Express are extended in this way only
  namespace Express {
    interface Request {
      /** The session that `expressSession` has verified. `null`: the request has none, with `optional`. */
      edgeSession?: VerifiedSession | null;
    }
  }
}

/**
 * The part of a request of Express that the middleware uses.
 *
 * @example
 * const nameOf = ({ edgeSession }: ExpressSessionRequest) => edgeSession?.identity.name;
 */
export interface ExpressSessionRequest {
  get(name: string): string | undefined;
  edgeSession?: VerifiedSession | null;
}

/**
 * The part of a response of Express that the middleware uses.
 *
 * @example
 * const refuse = (response: ExpressSessionResponse) => response.status(403);
 */
export interface ExpressSessionResponse {
  status(code: number): unknown;
  set(headers: Record<string, string>): unknown;
  vary(name: string): unknown;
  send(body: string): unknown;
}

/**
 * Middleware for Express. It sets `request.edgeSession` to the `VerifiedSession` of the request, and refuses requests
 * without a valid session: 401, or 503 when the controller cannot be asked. CORS middleware goes before it.
 *
 * @example
 * app.get('/hello', expressSession(verifier), (request, response) => {
 *   response.send(`Hello ${request.edgeSession?.identity.name}`);
 * });
 */
export function expressSession(
  verifier: SessionVerifier,
  options: EdgeSessionOptions = {},
): (
  request: ExpressSessionRequest,
  response: ExpressSessionResponse,
  next: (error?: unknown) => void,
) => Promise<void> {
  return async (request, response, next) => {
    let checked: Awaited<ReturnType<typeof checkRequest>>;
    try {
      checked = await checkRequest(verifier, options, (name) => request.get(name));
    } catch (error) {
      next(error);
      return;
    }
    const { refusal, session } = checked;
    // A cache must not send the response for one user to another.
    response.vary(verifier.sessionHeader);
    if (refusal === undefined) {
      request.edgeSession = session;
      next();
      return;
    }
    response.status(refusal.status);
    response.set({ ...refusal.headers });
    response.send(refusal.body);
  };
}
