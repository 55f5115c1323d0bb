import type { ApiError } from '../api/generated/entities.ts';
import { isEdgeApiError } from '../errors/error-guards.ts';

/** Why a request has no session. */
export type TokenError = 'missing' | 'invalid' | 'partial';

const descriptions: Readonly<Record<TokenError, string>> = {
  missing: 'no matching token was provided',
  invalid: 'token is invalid',
  partial: 'authentication queries are outstanding',
};

/** Seconds after which another try makes sense when the controller does not say it. */
const retryAfter = 1;

/** The 401 of the API. `partial` is none of its errors: clients must not take the session for ended. */
export function unauthorized(header: string, error: TokenError): Response {
  const message = 'The request could not be completed. The session is not authorized or the credentials are invalid';
  const challenge = `${header} realm="${header}" error="${error}" error_description="${descriptions[error]}"`;
  return refusal(
    401,
    { vary: header, 'www-authenticate': challenge },
    {
      ...{ code: 'UNAUTHORIZED', message, requestId: crypto.randomUUID() },
      cause: { code: 'UNHANDLED', message: descriptions[error] },
    },
  );
}

/** The controller could not be asked. `requestId` is in the envelope. */
export function unavailable(header: string, error: Error, requestId: string): Response {
  const seconds = (isEdgeApiError(error) ? error.retryAfter : null) ?? retryAfter;
  const message = 'The session could not be verified, because the controller cannot be asked. Please try again';
  return refusal(
    503,
    { vary: header, 'retry-after': String(seconds) },
    { code: 'CONTROLLER_UNAVAILABLE', message, requestId },
  );
}

function refusal(status: number, headers: Record<string, string>, error: ApiError): Response {
  const envelope = { error, meta: { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' } };
  return Response.json(envelope, { status, headers: { ...headers, 'cache-control': 'no-store' } });
}
