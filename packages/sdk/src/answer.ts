import type { ApiErrorBody } from '@edge-controller/shared-types';
import { EdgeApiError, EdgeInvalidResponseError } from './errors.ts';
import type { OperationRow } from './operation-row.ts';
import type { TransportAnswer } from './transport.ts';
import { retryAfter } from './transport.ts';

interface AnswerContext {
  readonly row: OperationRow;
  readonly target: string;
  /** Values of the request that no error may show. */
  readonly secrets: readonly string[];
}

/**
 * What a call resolves to: the data of a success answer, or its image.
 *
 * @throws EdgeApiError for the error envelope, EdgeInvalidResponseError for everything else.
 */
export function readAnswer(answer: TransportAnswer, { row, target, secrets }: AnswerContext): unknown {
  const { status, body } = answer;
  if (row.answer === 'png' && status === 200 && body instanceof Blob) return body;
  if (row.answer !== 'png' && status >= 200 && status < 300 && isRecord(body) && 'data' in body) {
    if (row.answer === 'empty') return undefined;
    if (row.answer === 'list' && Array.isArray(body.data)) return { data: body.data, meta: body.meta ?? {} };
    if (row.answer !== 'list' && isRecord(body.data)) return body.data;
  }
  const error = isRecord(body) ? body.error : undefined;
  if (status < 400 || !isErrorBody(error)) throw new EdgeInvalidResponseError(target, status);
  throw new EdgeApiError({
    ...{ code: error.code, requestId: error.requestId ?? '', status },
    ...withoutSecrets(error, secrets),
    retryAfter: retryAfter(answer.headers),
    attemptsRemaining: attemptsRemaining(answer.headers),
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

/** Controllers may quote the refused value, and that value may be a password. What is shorter is part of many a word. */
function withoutSecrets({ message, cause }: ApiErrorBody, secrets: readonly string[]) {
  const long = secrets.filter(({ length }) => length >= 4);
  const clean = (_key: string, value: unknown) =>
    typeof value === 'string' ? long.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), value) : value;
  return JSON.parse(JSON.stringify({ message, cause }), clean) as Pick<ApiErrorBody, 'message' | 'cause'>;
}
