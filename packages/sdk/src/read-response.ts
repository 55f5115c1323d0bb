import type { ApiErrorBody } from '@edge-controller/shared-types';
import { EdgeApiError, EdgeInvalidResponseError } from './errors.ts';
import { jwtChallenge } from './jwt-challenge.ts';
import type { OperationRow } from './operation-row.ts';
import type { TransportResponse } from './transport.ts';
import { retryAfter } from './transport.ts';

interface ResponseContext {
  readonly row: OperationRow;
  readonly target: string;
  /** Secret values of the request. They are removed from errors. */
  readonly secrets: readonly string[];
}

/**
 * Returns the result of a call: the data of a successful response, or the document.
 *
 * @throws EdgeApiError when the response has the error envelope, EdgeInvalidResponseError when it has no valid
 *   envelope.
 */
export function readResponse(response: TransportResponse, { row, target, secrets }: ResponseContext): unknown {
  const { status, body } = response;
  if (row.produces && status === 200 && response.headers.get('content-type')?.startsWith(row.produces)) return body;
  if (!row.produces && status >= 200 && status < 300 && isRecord(body) && 'data' in body) {
    if (row.result === 'empty') return undefined;
    if (row.result === 'list' && Array.isArray(body.data)) return { data: body.data, meta: body.meta ?? {} };
    if (row.result !== 'list' && isRecord(body.data)) return body.data;
  }
  const error = isRecord(body) ? body.error : undefined;
  if (status < 400 || !isErrorBody(error)) throw new EdgeInvalidResponseError(target, status);
  throw new EdgeApiError({
    ...{ code: error.code, requestId: error.requestId ?? '', status },
    ...withoutSecrets(error, secrets),
    retryAfter: retryAfter(response.headers),
    attemptsRemaining: attemptsRemaining(response.headers),
    challenge: jwtChallenge(response.headers),
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isErrorBody(value: unknown): value is ApiErrorBody {
  return isRecord(value) && typeof value.code === 'string' && typeof value.message === 'string';
}

function attemptsRemaining(headers: Headers): number | null {
  const text = headers.get('ratelimit-remaining') ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/**
 * A controller may quote the refused value, and that value may be a password. Secrets of fewer than four characters
 * stay: they occur inside ordinary words.
 */
function withoutSecrets({ message, cause }: ApiErrorBody, secrets: readonly string[]) {
  const longSecrets = secrets.filter(({ length }) => length >= 4);
  const clean = (_key: string, value: unknown) =>
    typeof value === 'string'
      ? longSecrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), value)
      : value;
  return JSON.parse(JSON.stringify({ message, cause }), clean) as Pick<ApiErrorBody, 'message' | 'cause'>;
}
