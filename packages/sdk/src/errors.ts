import type { ApiErrorCause, ErrorCode, errorCatalogue } from '@edge-controller/shared-types';
import type { JwtChallenge } from './jwt-challenge.ts';

type Catalogue = typeof errorCatalogue;
/** The codes of the catalogue as they are in the API. */
type KnownCode = { [C in ErrorCode]: Catalogue[C] extends { code: infer Wire } ? Wire : C }[ErrorCode];
/** Any code. Editors suggest the known ones. */
type AnyCode = KnownCode | (string & Record<never, never>);

interface ApiErrorParts {
  code: string;
  message: string;
  status: number;
  requestId: string;
  cause?: ApiErrorCause | undefined;
  retryAfter: number | null;
  attemptsRemaining: number | null;
  challenge: JwtChallenge | null;
}

/** The controller refused the call. */
export class EdgeApiError extends Error {
  override readonly name = 'EdgeApiError' as const;
  /** Code of the error catalogue: `NOT_FOUND`, `INVALID_AUTH`, … */
  readonly code: string;
  readonly status: number;
  /** The id of the request in the logs of the controller. */
  readonly requestId: string;
  /** The refused field and the reason, as the controller sent them. */
  declare readonly cause?: ApiErrorCause;
  /** Seconds to wait before the next try (`Retry-After`), or `null`. */
  readonly retryAfter: number | null;
  /** How many more codes may be tried before the controller sends 429, or `null` when the response does not say it. */
  readonly attemptsRemaining: number | null;
  /** What the controller says about the JWT of a refused sign-in (`WWW-Authenticate`), or `null`. */
  readonly challenge: JwtChallenge | null;

  constructor(parts: ApiErrorParts) {
    super(`${parts.message} (${parts.code})`, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = parts.code;
    this.status = parts.status;
    this.requestId = parts.requestId;
    this.retryAfter = parts.retryAfter;
    this.attemptsRemaining = parts.attemptsRemaining;
    this.challenge = parts.challenge;
  }
}

/** The controller sent no response: no connection, an untrusted certificate, or a lost connection. */
export class EdgeNetworkError extends Error {
  override readonly name: 'EdgeNetworkError' | 'EdgeTlsError' = 'EdgeNetworkError';
  /** Error code of the platform, or `null`: `ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN`, … */
  readonly code: string | null;

  constructor(target: string, code: string | null, cause: unknown) {
    super(`no response from ${target}${code === null ? '' : `: ${code}`}`, { cause });
    this.code = code;
  }
}

/** The call did not finish within its timeout. */
export class EdgeTimeoutError extends Error {
  override readonly name = 'EdgeTimeoutError' as const;
  /** The timeout in milliseconds. */
  readonly timeout: number;

  constructor(target: string, timeout: number) {
    super(`${target} did not respond within ${timeout} ms`);
    this.timeout = timeout;
  }
}

/** The response did not come from an edge controller: the page of a proxy, a redirect, another API. */
export class EdgeInvalidResponseError extends Error {
  override readonly name = 'EdgeInvalidResponseError' as const;
  readonly status: number;

  constructor(target: string, status: number) {
    super(`${target} sent status ${status} without the envelope of the edge API`);
    this.status = status;
  }
}

type AuthQueryCode = keyof typeof authQueryMessages;

const authQueryMessages = {
  NO_SESSION: 'there is no session, or it ended or was replaced before its authentication query was answered',
  STILL_ASKED: 'the controller accepted an answer and asked again; the sign-in stopped',
  OUTSTANDING: 'the call needs a full session, and the session has outstanding authentication queries',
};

/** A call failed because of outstanding authentication queries, or the queries could not be answered. */
export class EdgeAuthQueryError extends Error {
  override readonly name = 'EdgeAuthQueryError' as const;
  /**
   * - `NO_SESSION`: there is no session, or it ended or another sign-in replaced it before the query was answered
   * - `STILL_ASKED`: the controller accepted an answer and sent the same query again, or it sent too many queries
   * - `OUTSTANDING`: the controller refused a call because the session is partial, not because a permission is missing
   */
  readonly code: AuthQueryCode;
  /** The error response of the controller. Only with `OUTSTANDING`. */
  declare readonly cause?: EdgeApiError;

  constructor(code: AuthQueryCode, cause?: EdgeApiError) {
    super(`${authQueryMessages[code]} (${code})`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Compares `name`, which also works across realms and between copies of the SDK. */
export function isNamed(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === name;
}

/** True for an `EdgeApiError`. With `code`: true only if the error has this code. */
export function isEdgeApiError<C extends AnyCode = string>(
  error: unknown,
  code?: C,
): error is EdgeApiError & { readonly code: C } {
  return isNamed(error, 'EdgeApiError') && (code === undefined || (error as EdgeApiError).code === code);
}

/**
 * True when the controller refused a TOTP or recovery code as wrong. Ask for another code. `attemptsRemaining` says how
 * many more may be tried.
 */
export function isWrongCode(error: unknown): error is EdgeApiError & { readonly code: 'MFA_INVALID_TOKEN' } {
  return isEdgeApiError(error, 'MFA_INVALID_TOKEN');
}

/** True for an `EdgeAuthQueryError`. With `code`: true only if the error has this code. */
export function isEdgeAuthQueryError<C extends AuthQueryCode = AuthQueryCode>(
  error: unknown,
  code?: C,
): error is EdgeAuthQueryError & { readonly code: C } {
  return isNamed(error, 'EdgeAuthQueryError') && (code === undefined || (error as EdgeAuthQueryError).code === code);
}

/** True for an `EdgeNetworkError`, and for an `EdgeTlsError`. */
export function isEdgeNetworkError(error: unknown): error is EdgeNetworkError {
  return isNamed(error, 'EdgeNetworkError') || isNamed(error, 'EdgeTlsError');
}

export function isEdgeTimeoutError(error: unknown): error is EdgeTimeoutError {
  return isNamed(error, 'EdgeTimeoutError');
}

export function isEdgeInvalidResponseError(error: unknown): error is EdgeInvalidResponseError {
  return isNamed(error, 'EdgeInvalidResponseError');
}
