import {
  isEdgeApiError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
} from '../errors/error-guards.ts';
import type { Clock } from '../lib/clock.ts';
import { unauthorized, unavailable } from './refusals.ts';
import { headersOf } from './response-headers.ts';
import type { EdgeSessionOptions, RequestWithHeaders, VerifiedRequest, VerifyOptions } from './session-verifier.ts';
import type { KnownSession } from './verified-session.ts';

interface VerifyParts {
  readonly verifySession: (token: string, options: VerifyOptions) => Promise<KnownSession | null>;
  readonly sessionHeader: string;
  readonly clock: Clock;
}

/** Finds the session of a request, or makes the response that refuses it. */
export async function verifyRequest(
  parts: VerifyParts,
  { headers }: RequestWithHeaders,
  options: EdgeSessionOptions,
): Promise<VerifiedRequest<KnownSession | null>> {
  const { verifySession, sessionHeader } = parts;
  const token = headerOf(headers, sessionHeader);
  const pass = (session: KnownSession | null) => ({
    session,
    headers: headersOf(session, parts),
  });
  if (token === '')
    return options.optional === true ? pass(null) : { response: unauthorized(sessionHeader, 'missing') };
  const secondaryToken = options.secondaryToken === true ? bearerToken(headerOf(headers, 'authorization')) : null;
  let session: KnownSession | null;
  try {
    session = await verifySession(token, { secondaryToken, allowPartial: true });
  } catch (error) {
    if (!isOfController(error)) throw error;
    const requestId = crypto.randomUUID();
    options.onError?.(error, requestId);
    return { response: unavailable(sessionHeader, error, requestId) };
  }
  if (session === null) return { response: unauthorized(sessionHeader, 'invalid') };
  if (session.state === 'full' || options.allowPartial === true) return pass(session);
  return { response: unauthorized(sessionHeader, 'partial') };
}

/** A header of a request. Node has an array for some that were sent several times. */
function headerOf(headers: RequestWithHeaders['headers'], name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : headers[name];
  return [value ?? ''].flat().join(', ');
}

function isFetchHeaders(headers: RequestWithHeaders['headers']): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

function bearerToken(authorization: string): string | null {
  return /^Bearer ([^\s,]+)$/.exec(authorization)?.[1] ?? null;
}

function isOfController(error: unknown): error is Error {
  return [isEdgeApiError, isEdgeInvalidResponseError, isEdgeNetworkError, isEdgeTimeoutError].some((is) => is(error));
}
