import type { ApiErrorCause, ErrorCode } from '@edge-controller/shared-types';
import { errorCatalogue } from '@edge-controller/shared-types';

/** An answer with an error envelope. Status and message come from the catalogue; `cause` says what was special. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** Sent to the client: the field and the reason. Never holds a secret. */
  readonly detail: ApiErrorCause | undefined;
  /** Seconds after which the client may try again; sent as `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** Headers of the answer, beside the usual ones. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    options: { cause?: ApiErrorCause; retryAfter?: number; headers?: Record<string, string>; origin?: unknown } = {},
  ) {
    super(errorCatalogue[code].message, options.origin === undefined ? undefined : { cause: options.origin });
    this.code = code;
    this.detail = options.cause && shortened(options.cause);
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
  }
}

const maxQuoted = 256;

/** No answer quotes long input. */
function shortened(cause: ApiErrorCause): ApiErrorCause {
  const cut = (value: unknown) =>
    typeof value === 'string' && value.length > maxQuoted ? `${value.slice(0, maxQuoted)}…` : value;
  return Object.fromEntries(Object.entries(cause).map(([name, value]) => [name, cut(value)]));
}

/** A refused member of a body: 400 `COULD_NOT_VALIDATE` with the field, the reason and, unless secret, the value. */
export function invalidField(field: string, reason: string, value?: string): ApiError {
  return new ApiError('COULD_NOT_VALIDATE', { cause: { field, reason, ...(value === undefined ? {} : { value }) } });
}

/** 404 for a row that is not there. `type` is the singular noun: `identity`. */
export function notFound(type: string, id: string): ApiError {
  return new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: `${type} with id ${id} not found` } });
}
