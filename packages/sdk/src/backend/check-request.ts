import type { ApiError } from '../api/generated/entities.ts';
import {
  isEdgeApiError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
} from '../errors/error-guards.ts';
import type { SessionVerifier } from './create-session-verifier.ts';
import type { VerifiedSession } from './verified-session.ts';

/**
 * Which requests a middleware lets pass.
 *
 * @example
 * const options: EdgeSessionOptions = { optional: true, onError: (error, requestId) => console.error(requestId, error) };
 * app.use(expressSession(verifier, options));
 */
export interface EdgeSessionOptions {
  /** Whether a request without a token passes, with `null` as its session. Default false. */
  readonly optional?: boolean | undefined;
  /** Whether a partial session passes. Its user has not proved the second factor. Default false. */
  readonly allowPartial?: boolean | undefined;
  /**
   * Whether a JWT in `Authorization: Bearer` is sent to the controller as the second factor. Turn it on only if no other
   * part of the application uses this header. Default false.
   */
  readonly secondaryToken?: boolean | undefined;
  /** Runs when the controller could not be asked. The response is 503 and has the same request id. Default: nothing. */
  readonly onError?: ((error: Error, requestId: string) => void) | undefined;
}

/** A response that a middleware sends instead of the application. */
export interface Refusal {
  readonly status: 401 | 503;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

type Checked =
  | { readonly refusal: Refusal; readonly session?: never }
  | { readonly refusal?: never; readonly session: VerifiedSession | null };

type TokenError = 'missing' | 'invalid' | 'partial';

const descriptions: Readonly<Record<TokenError, string>> = {
  missing: 'no matching token was provided',
  invalid: 'token is invalid',
  partial: 'authentication queries are outstanding',
};

/** Seconds after which another try makes sense when the controller does not say it. */
const retryAfter = 1;

/** Finds the session of a request, or the response that refuses it. `header` reads a header of the request. */
export async function checkRequest(
  verifier: SessionVerifier,
  options: EdgeSessionOptions,
  header: (name: string) => string | undefined,
): Promise<Checked> {
  const { sessionHeader } = verifier;
  const token = header(sessionHeader) ?? '';
  const refuse = (error: TokenError): Checked => ({ refusal: unauthorized(sessionHeader, error) });
  if (token === '') return options.optional === true ? { session: null } : refuse('missing');
  const secondaryToken = options.secondaryToken === true ? bearerToken(header('authorization')) : null;
  let session: VerifiedSession | null;
  try {
    session = await verifier.verifySession(token, { secondaryToken });
  } catch (error) {
    if (!isOfController(error)) throw error;
    const requestId = crypto.randomUUID();
    options.onError?.(error, requestId);
    return { refusal: unavailable(error, requestId) };
  }
  if (session === null) return refuse('invalid');
  return session.state === 'full' || options.allowPartial === true ? { session } : refuse('partial');
}

function bearerToken(authorization = ''): string | null {
  return /^Bearer ([^\s,]+)$/.exec(authorization)?.[1] ?? null;
}

function isOfController(error: unknown): error is Error {
  return [isEdgeApiError, isEdgeInvalidResponseError, isEdgeNetworkError, isEdgeTimeoutError].some((is) => is(error));
}

/** The 401 of the API. `partial` is none of its errors: clients must not take the session for ended. */
function unauthorized(header: string, error: TokenError): Refusal {
  const message = 'The request could not be completed. The session is not authorized or the credentials are invalid';
  const challenge = `${header} realm="${header}" error="${error}" error_description="${descriptions[error]}"`;
  return refusalOf(
    401,
    { 'www-authenticate': challenge },
    {
      ...{ code: 'UNAUTHORIZED', message, requestId: crypto.randomUUID() },
      cause: { code: 'UNHANDLED', message: descriptions[error] },
    },
  );
}

function unavailable(error: Error, requestId: string): Refusal {
  const seconds = (isEdgeApiError(error) ? error.retryAfter : null) ?? retryAfter;
  const message = 'The session could not be verified, because the controller cannot be asked. Please try again';
  return refusalOf(503, { 'retry-after': String(seconds) }, { code: 'CONTROLLER_UNAVAILABLE', message, requestId });
}

function refusalOf(status: Refusal['status'], headers: Record<string, string>, error: ApiError): Refusal {
  const envelope = { error, meta: { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' } };
  return {
    status,
    headers: { ...headers, 'cache-control': 'no-store', 'content-type': 'application/json' },
    body: JSON.stringify(envelope),
  };
}
