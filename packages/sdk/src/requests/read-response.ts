import { EdgeInvalidResponseError } from '../errors/errors.ts';
import { refusal } from './refusal.ts';
import type { SentCall } from './sent-call.ts';
import type { TransportResponse } from './transport.ts';

/**
 * Returns the result of a call: the data of a successful response, or the document.
 *
 * @throws EdgeApiError when the response has the error envelope, EdgeInvalidResponseError when it has no valid
 *   envelope.
 */
export function readResponse(response: TransportResponse, sent: SentCall): unknown {
  const { status, body, target } = response;
  const { produces, result } = sent.call.row;
  if (produces && status === 200 && response.headers.get('content-type')?.startsWith(produces)) return body;
  if (!produces && status >= 200 && status < 300 && isRecord(body) && 'data' in body) {
    const { data, meta = {} } = body;
    if (result === 'empty') return undefined;
    if (result === 'list' && Array.isArray(data)) return { data, meta };
    if (result !== 'list' && isRecord(data)) return data;
  }
  throw refusal(response, sent) ?? new EdgeInvalidResponseError(target, status);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
