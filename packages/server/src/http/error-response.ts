import type { ErrorEntry, ErrorEnvelope } from '@edge-controller/shared-types';
import { errorCatalogue } from '@edge-controller/shared-types';
import { ApiError } from '../core/api-error.ts';

/**
 * The response to an error. An `ApiError` has its row in the catalogue. An error of an embedder's middleware keeps its
 * `status` when it may be shown (`ctx.throw(403, '…')`). Any other error is `UNHANDLED`, and its text is not shown. `code` is
 * that of the catalogue, if the error has one.
 */
export function errorResponse(error: unknown, requestId: string) {
  if (!(error instanceof ApiError) && isExposed(error)) {
    const { status, message } = error;
    return { code: null, status, body: errorBody({ code: 'UNHANDLED', message, requestId }) };
  }
  const { code: key, detail, headers, retryAfter } = error instanceof ApiError ? error : new ApiError('UNHANDLED');
  const entry: ErrorEntry = errorCatalogue[key];
  return {
    code: key,
    status: entry.status,
    headers: retryAfter === undefined ? headers : { ...headers, 'Retry-After': String(Math.ceil(retryAfter)) },
    body: errorBody({
      ...{ code: entry.code ?? key, message: entry.message, requestId },
      ...(detail ? { cause: detail } : {}),
    }),
  };
}

function errorBody(error: ErrorEnvelope['error']): string {
  const envelope: ErrorEnvelope = { error, meta: { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' } };
  return `${JSON.stringify(envelope)}\n`;
}

/** An error as `ctx.throw` makes it for a 4xx. */
function isExposed(error: unknown): error is Error & { status: number } {
  return error instanceof Error && 'expose' in error && error.expose === true && 'status' in error;
}
