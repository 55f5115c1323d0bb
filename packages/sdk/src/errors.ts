import type { ApiErrorCause, ErrorCode, errorCatalogue } from '@edge-controller/shared-types';

type Catalogue = typeof errorCatalogue;
/** The codes of the catalogue as the wire says them. */
type KnownCode = { [C in ErrorCode]: Catalogue[C] extends { code: infer Wire } ? Wire : C }[ErrorCode];
/** Any code; editors complete the known ones. */
type AnyCode = KnownCode | (string & Record<never, never>);

interface ApiErrorParts {
  code: string;
  message: string;
  status: number;
  requestId: string;
  cause?: ApiErrorCause | undefined;
  retryAfter: number | null;
  attemptsRemaining: number | null;
}

/** The controller refused the call. */
export class EdgeApiError extends Error {
  override readonly name = 'EdgeApiError' as const;
  /** Code of the error catalogue: `NOT_FOUND`, `INVALID_AUTH`, … */
  readonly code: string;
  readonly status: number;
  /** Finds the request in the logs of the controller. */
  readonly requestId: string;
  /** Which field was refused and why, as the controller sent it. */
  declare readonly cause?: ApiErrorCause;
  /** Seconds after which the controller wants to be asked again, or `null`. */
  readonly retryAfter: number | null;
  /** How many wrong codes the controller still takes before it answers 429, or `null` when it does not tell. */
  readonly attemptsRemaining: number | null;

  constructor(parts: ApiErrorParts) {
    super(`${parts.message} (${parts.code})`, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = parts.code;
    this.status = parts.status;
    this.requestId = parts.requestId;
    this.retryAfter = parts.retryAfter;
    this.attemptsRemaining = parts.attemptsRemaining;
  }
}

/** No answer came: no connection, no trust in the certificate, connection lost. */
export class EdgeNetworkError extends Error {
  override readonly name = 'EdgeNetworkError' as const;
  /** Code of the platform where it gives one: `ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN`, … */
  readonly code: string | null;

  constructor(target: string, code: string | null, cause: unknown) {
    super(`no answer from ${target}${code === null ? '' : `: ${code}`}`, { cause });
    this.code = code;
  }
}

/** The call was not over within its timeout. */
export class EdgeTimeoutError extends Error {
  override readonly name = 'EdgeTimeoutError' as const;
  /** Milliseconds the call was given. */
  readonly timeout: number;

  constructor(target: string, timeout: number) {
    super(`${target} did not answer within ${timeout} ms`);
    this.timeout = timeout;
  }
}

/** Something answered that is not an edge controller: a proxy's page, a redirect, another API. */
export class EdgeInvalidResponseError extends Error {
  override readonly name = 'EdgeInvalidResponseError' as const;
  readonly status: number;

  constructor(target: string, status: number) {
    super(`${target} answered ${status} without the envelope of the edge API`);
    this.status = status;
  }
}

type AuthQueryCode = keyof typeof authQueryMessages;

const authQueryMessages = {
  NO_SESSION: 'there is no session, or it is no longer the one whose authentication query was to be answered',
  STILL_ASKED: 'the controller accepts answers and asks again; the sign-in is given up',
  OUTSTANDING: 'the call needs a full session, and this one has authentication queries outstanding',
};

/** The authentication queries of a session are in the way, or could not be brought to an end. */
export class EdgeAuthQueryError extends Error {
  override readonly name = 'EdgeAuthQueryError' as const;
  /**
   * - `NO_SESSION`: there is none, or it ended or was replaced by another sign-in before the answer
   * - `STILL_ASKED`: the controller accepted an answer and put the same query again, or put too many queries
   * - `OUTSTANDING`: the controller refused a call because the session is partial, and not for a missing permission
   */
  readonly code: AuthQueryCode;
  /** With `OUTSTANDING` the refusal of the controller. */
  declare readonly cause?: EdgeApiError;

  constructor(code: AuthQueryCode, cause?: EdgeApiError) {
    super(`${authQueryMessages[code]} (${code})`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Errors are told apart by `name`, which also works across realms and bundled copies. */
function isNamed(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === name;
}

/** True for an `EdgeApiError`; with `code` only for that one. */
export function isEdgeApiError<C extends AnyCode = string>(
  error: unknown,
  code?: C,
): error is EdgeApiError & { readonly code: C } {
  return isNamed(error, 'EdgeApiError') && (code === undefined || (error as EdgeApiError).code === code);
}

/**
 * True when the controller took a TOTP or recovery code for wrong: ask for another one. `attemptsRemaining` says how
 * often that may happen.
 */
export function isWrongCode(error: unknown): error is EdgeApiError & { readonly code: 'MFA_INVALID_TOKEN' } {
  return isEdgeApiError(error, 'MFA_INVALID_TOKEN');
}

/** True for an `EdgeAuthQueryError`; with `code` only for that one. */
export function isEdgeAuthQueryError<C extends AuthQueryCode = AuthQueryCode>(
  error: unknown,
  code?: C,
): error is EdgeAuthQueryError & { readonly code: C } {
  return isNamed(error, 'EdgeAuthQueryError') && (code === undefined || (error as EdgeAuthQueryError).code === code);
}

export function isEdgeNetworkError(error: unknown): error is EdgeNetworkError {
  return isNamed(error, 'EdgeNetworkError');
}

export function isEdgeTimeoutError(error: unknown): error is EdgeTimeoutError {
  return isNamed(error, 'EdgeTimeoutError');
}

export function isEdgeInvalidResponseError(error: unknown): error is EdgeInvalidResponseError {
  return isNamed(error, 'EdgeInvalidResponseError');
}
