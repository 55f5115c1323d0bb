import type { EdgeErrorCode } from '../api/generated/edge-error-code.ts';
import type { ApiErrorCause } from '../api/generated/entities.ts';
import type { JwtChallenge } from '../api/jwt-challenge.ts';

interface ApiErrorParts {
  code: EdgeApiError['code'];
  message: string;
  status: number;
  requestId: string;
  cause?: ApiErrorCause | undefined;
  retryAfter: number | null;
  attemptsRemaining: number | null;
  challenge: JwtChallenge | null;
  isSignIn?: boolean;
}

/**
 * The controller refused the call.
 *
 * @example
 * try {
 *   await edge.signIn.password({ username, password });
 * } catch (error) {
 *   if (!isEdgeApiError(error)) throw error;
 *   console.log(error.code, error.status, error.requestId, error.cause?.reason);
 * }
 */
export class EdgeApiError extends Error {
  override readonly name = 'EdgeApiError' as const;
  /** Code of the error catalogue: `NOT_FOUND`, `INVALID_AUTH`, … A newer controller may send codes that are not in the type. */
  declare readonly code: EdgeErrorCode | (string & Record<never, never>);
  declare readonly status: number;
  /** The id of the request in the logs of the controller. */
  declare readonly requestId: string;
  /** The refused field and the reason, as the controller sent them. */
  declare readonly cause?: ApiErrorCause;
  /** Seconds to wait before the next try (`Retry-After`), or `null`. */
  declare readonly retryAfter: number | null;
  /** How many more codes may be tried before the controller sends 429, or `null` when the response does not say it. */
  declare readonly attemptsRemaining: number | null;
  /** What the controller says about the JWT of a refused sign-in (`WWW-Authenticate`), or `null`. */
  declare readonly challenge: JwtChallenge | null;
  /** The request of a sign-in was refused: see `isWrongCredentials`. */
  declare readonly isSignIn?: boolean;

  constructor({ message, cause, ...parts }: ApiErrorParts) {
    super(`${message} (${parts.code})`, cause && { cause });
    Object.assign(this, parts);
  }
}

/**
 * The controller sent no response: no connection, an untrusted certificate, or a lost connection. Or a file of the SDK could not be
 * loaded.
 *
 * @example
 * if (error instanceof EdgeNetworkError) console.log('the controller cannot be reached', error.code); // ECONNREFUSED
 */
export class EdgeNetworkError extends Error {
  override readonly name: 'EdgeNetworkError' | 'EdgeTlsError' = 'EdgeNetworkError';
  /** Error code of the platform, or `null`: `ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN`, … */
  readonly code: string | null;

  constructor(target: string, code: string | null, cause: unknown) {
    super(`no response from ${target}${code === null ? browserHint(target) : `: ${code}`}`, { cause });
    this.code = code;
  }
}

/** A browser gives the same error for all these reasons. */
function browserHint(target: string): string {
  if ((globalThis as { location?: unknown }).location === undefined) return '';
  // The files of the SDK.
  if (!target.startsWith('http')) return ': the page is offline, or it has a new version';
  return `: it is down, its CORS settings do not allow this page, or its certificate is not trusted; open ${target} in a tab to see which`;
}

/**
 * - `UNTRUSTED`: no trusted CA has issued the certificate of the controller
 * - `EXPIRED`: the certificate of the controller has expired or is not valid yet
 * - `WRONG_HOST`: the certificate of the controller is for another host name
 * - `HANDSHAKE`: the other side ended the handshake, refused the client certificate, or does not use TLS
 */
export type TlsReason = 'UNTRUSTED' | 'EXPIRED' | 'WRONG_HOST' | 'HANDSHAKE';

/**
 * The TLS connection to the controller failed. It is an `EdgeNetworkError`, too. Browsers do not tell the reason.
 *
 * @example
 * if (error instanceof EdgeTlsError) console.error(error.reason, error.hint);
 */
export class EdgeTlsError extends EdgeNetworkError {
  override readonly name = 'EdgeTlsError';
  readonly reason: TlsReason;
  /** How to fix it. */
  readonly hint: string;

  constructor(target: string, [reason, hint]: readonly [TlsReason, string], code: string, cause: unknown) {
    super(target, code, cause);
    this.reason = reason;
    this.hint = hint;
    this.message += `; ${hint}`;
  }
}

/**
 * The call did not finish within its timeout.
 *
 * @example
 * if (error instanceof EdgeTimeoutError) console.log(`no response within ${error.timeout} ms`);
 */
export class EdgeTimeoutError extends Error {
  override readonly name = 'EdgeTimeoutError' as const;
  /** The timeout in milliseconds. */
  readonly timeout: number;
  /** The status of the last response before the time was over, for example 503, or `null` without one. */
  readonly lastStatus: number | null;

  constructor(target: string, timeout: number, lastStatus: number | null = null) {
    super(
      `${target} did not respond within ${timeout} ms${lastStatus === null ? '' : `; the last response was ${lastStatus}`}`,
    );
    this.timeout = timeout;
    this.lastStatus = lastStatus;
  }
}

/**
 * The response did not come from an edge controller: the page of a proxy, a redirect, another API.
 *
 * @example
 * if (error instanceof EdgeInvalidResponseError) console.log(`another server responded with status ${error.status}`);
 */
export class EdgeInvalidResponseError extends Error {
  override readonly name = 'EdgeInvalidResponseError' as const;
  readonly status: number;

  constructor(target: string, status: number) {
    super(`${target} sent status ${status} without the envelope of the edge API`);
    this.status = status;
  }
}

/** What is wrong with authentication queries: see `EdgeAuthQueryError`. */
export type AuthQueryCode = 'NO_SESSION' | 'STILL_ASKED' | 'OUTSTANDING' | 'NOT_ASKED';

/**
 * A call failed because of outstanding authentication queries, or the queries could not be answered.
 *
 * @example
 * if (error instanceof EdgeAuthQueryError && error.code === 'NO_SESSION') await edge.signIn.password({ username, password });
 */
export class EdgeAuthQueryError extends Error {
  override readonly name = 'EdgeAuthQueryError' as const;
  /**
   * - `NO_SESSION`: there is no session, or a sign-out or another sign-in came before the sign-in was complete
   * - `NOT_ASKED`: nobody asks for what was answered
   * - `STILL_ASKED`: the controller accepted an answer and sent the same query again, or it sent too many queries
   * - `OUTSTANDING`: the controller refused a call because the session is partial, not because a permission is missing
   */
  readonly code: AuthQueryCode;
  /** The error response of the controller. Only with `OUTSTANDING`. */
  declare readonly cause?: EdgeApiError;

  constructor(code: AuthQueryCode, cause?: EdgeApiError, text = 'outstanding authentication queries') {
    super(`${text} (${code})`, cause && { cause });
    this.code = code;
  }
}

/** Why a JWT cannot be used: see `EdgeTokenError`. */
export type TokenErrorCode = 'NO_TOKEN' | 'NOT_A_JWT' | 'REFUSED';

/**
 * A JWT cannot be used. The error never contains it.
 *
 * @example
 * if (error instanceof EdgeTokenError) console.log(error.code); // NO_TOKEN, NOT_A_JWT or REFUSED
 */
export class EdgeTokenError extends Error {
  override readonly name = 'EdgeTokenError' as const;
  /**
   * - `NO_TOKEN`: `token` is empty or `getToken` returned `null`, and the sign-in or the answer needs a JWT
   * - `NOT_A_JWT`: it is something else. Providers may issue access tokens that are no JWTs: then give the
   *   signer the `targetToken` `ID`, or ask the provider for an access token of the `audience`
   * - `REFUSED`: the controller still asks for a JWT after the answer: the signer does not accept this one, or it
   *   belongs to another identity
   */
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, text: string) {
    super(`${text} (${code})`);
    this.code = code;
  }
}

/** Why an enrollment cannot be redeemed: see `EdgeEnrollmentError`. */
export type EnrollmentErrorCode =
  | 'NOT_AN_ENROLLMENT'
  | 'UNSUPPORTED_METHOD'
  | 'EXPIRED'
  | 'CLOCK_SKEW'
  | 'USED_OR_UNKNOWN'
  | 'OTHER_CONTROLLER'
  | 'WRONG_METHOD';

/**
 * The enrollment could not be redeemed.
 *
 * @example
 * try {
 *   await enroll(jwt);
 * } catch (error) {
 *   if (error instanceof EdgeEnrollmentError) console.error(error.code, error.hint);
 * }
 */
export class EdgeEnrollmentError extends Error {
  override readonly name = 'EdgeEnrollmentError' as const;
  /**
   * - `NOT_AN_ENROLLMENT`: the text is not a JWT, or it is not an enrollment
   * - `UNSUPPORTED_METHOD`: the SDK cannot redeem this method
   * - `EXPIRED`: the enrollment has expired
   * - `CLOCK_SKEW`: the enrollment has expired by the clock of this machine, but not by the clock of the controller
   * - `USED_OR_UNKNOWN`: the enrollment was used, refreshed or deleted; the controller does not tell which
   * - `OTHER_CONTROLLER`: the JWT is not signed with the key of the server certificate, or is of another controller
   * - `WRONG_METHOD`: the token is of another method
   */
  readonly code: EnrollmentErrorCode;
  /** How to fix it. */
  readonly hint: string;

  constructor(code: EnrollmentErrorCode, [message, hint]: readonly [string, string], cause?: unknown) {
    super(`${message}; ${hint} (${code})`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** The first error code in the chain of causes: platforms wrap the reason of a failed fetch. Browsers give none. */
export function platformCode(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return null;
}
