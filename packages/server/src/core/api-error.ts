import type { ApiErrorCause, ErrorCode } from '@edge-controller/shared-types';
import { errorCatalogue } from '@edge-controller/shared-types';

/** An error that is sent as an error envelope. The catalogue has its status and message; `cause` has the details. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** The field and the reason. The client sees them, so they must not contain secrets. */
  readonly detail: ApiErrorCause | undefined;
  /** Seconds after which the client may try again; sent as `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** Additional headers of the response. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    options: { cause?: ApiErrorCause; retryAfter?: number; headers?: Record<string, string>; origin?: unknown } = {},
  ) {
    super(errorCatalogue[code].message, options.origin === undefined ? undefined : { cause: options.origin });
    this.code = code;
    this.detail = options.cause && shorten(options.cause);
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
  }
}

const maxTextLength = 256;

/** Cuts long texts, so that a response does not repeat long input. */
function shorten(cause: ApiErrorCause): ApiErrorCause {
  const shortenText = (value: unknown) =>
    typeof value === 'string' && value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value;
  return Object.fromEntries(Object.entries(cause).map(([name, value]) => [name, shortenText(value)]));
}

/** 400 `COULD_NOT_VALIDATE` for one field. Pass `value` only when it is not a secret. */
export function invalidField(field: string, reason: string, value?: string): ApiError {
  return new ApiError('COULD_NOT_VALIDATE', { cause: { field, reason, ...(value === undefined ? {} : { value }) } });
}

/**
 * 400 `INVALID_FIELD` for one field. On the wire, a few checks have this code and a text as their cause. `value` must not be
 * a secret.
 */
export function refusedField(field: string, reason: string, value = ''): ApiError {
  const message = `the value '${value}' for '${field}' is invalid: ${reason}`;
  return new ApiError('INVALID_FIELD', { cause: { code: 'UNHANDLED', message } });
}

/** 404 for a row that does not exist. `type` is a singular noun: `identity`. */
export function notFound(type: string, id: string): ApiError {
  return new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: `${type} with id ${id} not found` } });
}
