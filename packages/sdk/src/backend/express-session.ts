import { addHeaders } from './response-headers.ts';
import type { EdgeSessionOptions, SessionVerifier, VerifiedRequest } from './session-verifier.ts';
import type { PartialVerifiedSession, VerifiedSession } from './verified-session.ts';

declare global {
  // biome-ignore lint/style/noNamespace: the types of Express are extended in this way only
  namespace Express {
    interface Request {
      /** The session that `expressSession` has verified. `null`: the request has none, with `optional`. Partial: with `allowPartial`. */
      edgeSession?: VerifiedSession | PartialVerifiedSession | null;
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
  edgeSession?: VerifiedSession | PartialVerifiedSession | null;
}

/**
 * The part of a response of Express that the middleware uses.
 *
 * @example
 * const refuse = (response: ExpressSessionResponse) => response.status(403);
 */
export interface ExpressSessionResponse {
  status(code: number): unknown;
  getHeader(name: string): number | string | readonly string[] | undefined;
  setHeader(name: string, value: string): unknown;
  writeHead: (...head: never[]) => unknown;
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
    let verified: VerifiedRequest<VerifiedSession | PartialVerifiedSession | null>;
    try {
      verified = await verifier.verifyRequest({ headers: { get: (name) => request.get(name) ?? null } }, options);
    } catch (error) {
      next(error);
      return;
    }
    const { session, headers, response: refusal } = verified;
    if (refusal === undefined) {
      request.edgeSession = session;
      addHeadersLast(response, headers);
      next();
      return;
    }
    response.status(refusal.status);
    addHeaders(refusal.headers, writable(response));
    response.send(await refusal.text());
  };
}

/** Adds headers when the response begins, because a later middleware may replace what is there now. */
function addHeadersLast(response: ExpressSessionResponse, headers: Readonly<Record<string, string>>): void {
  const { writeHead } = response;
  response.writeHead = (...head) => {
    addHeaders(Object.entries(headers), writable(response));
    return writeHead.apply(response, head);
  };
}

/** How headers are read and written. */
function writable(response: ExpressSessionResponse) {
  return {
    get: (name: string) => response.getHeader(name),
    set: (name: string, value: string) => response.setHeader(name, value),
  };
}
