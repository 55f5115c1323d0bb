import type { EdgeErrorCode } from '../api/generated/edge-error-code.ts';
import type { ApiErrorCause, PostureQuery } from '../api/generated/entities.ts';
import type {
  AuthQueryCode,
  EdgeApiError,
  EdgeAuthQueryError,
  EdgeEnrollmentError,
  EdgeInvalidResponseError,
  EdgeNetworkError,
  EdgeTimeoutError,
  EdgeTlsError,
  EdgeTokenError,
  EnrollmentErrorCode,
  TlsReason,
  TokenErrorCode,
} from './errors.ts';

/** Compares `name`, which also works across realms and between copies of the SDK. */
export function isNamed(error: unknown, name: string): boolean {
  return typeof error === 'object' && (error as { name?: unknown } | null)?.name === name;
}

/**
 * True for an `EdgeApiError`. With `code`: true only if the error has this code. Compare `error.code` for a code that the
 * SDK does not know.
 *
 * @example
 * const identity = await edge.management.identities.get(id).catch((error: unknown) => {
 *   if (isEdgeApiError(error, 'NOT_FOUND')) return null;
 *   throw error;
 * });
 */
export function isEdgeApiError(error: unknown): error is EdgeApiError;
export function isEdgeApiError<C extends EdgeErrorCode>(
  error: unknown,
  code: C,
): error is EdgeApiError & { readonly code: C };
export function isEdgeApiError(error: unknown, code?: EdgeErrorCode): boolean {
  return isNamed(error, 'EdgeApiError') && (code === undefined || (error as EdgeApiError).code === code);
}

/**
 * True when the controller refused a sign-in because of its credentials: a wrong user name, password, certificate or JWT. Use it
 * instead of a code: `INVALID_AUTH` is what a wrong password gives, `COULD_NOT_VALIDATE` one of fewer than 5 characters, and
 * `UNAUTHORIZED` a JWT, whose `challenge` has the reason.
 *
 * @example
 * try {
 *   await edge.signIn.password({ username, password });
 * } catch (error) {
 *   if (!isWrongCredentials(error)) throw error;
 *   render('User name or password are not right.');
 * }
 */
export function isWrongCredentials(error: unknown): error is EdgeApiError {
  if (!isEdgeApiError(error) || !error.isSignIn) return false;
  // Without a field: user name or password are empty.
  const isTooShort = error.code === 'COULD_NOT_VALIDATE' && /^(username|password)?$/.test(error.cause?.field ?? '');
  return error.status === 401 || isTooShort;
}

/**
 * True when the controller refused a TOTP or recovery code as wrong. Ask for another code. `attemptsRemaining` says how
 * many more may be tried.
 *
 * @example
 * try {
 *   await edge.answer.totp(code);
 * } catch (error) {
 *   if (!isWrongCode(error)) throw error;
 *   render(`Wrong code. Attempts left: ${error.attemptsRemaining ?? 'unknown'}`);
 * }
 */
export function isWrongCode(error: unknown): error is EdgeApiError & { readonly code: 'MFA_INVALID_TOKEN' } {
  return isEdgeApiError(error, 'MFA_INVALID_TOKEN');
}

/** The posture checks that do not pass, by the id of the service policy that wants them. */
export type FailingPostureChecks = Readonly<
  Record<string, readonly { readonly id: string; readonly typeId: PostureQuery['queryType'] }[]>
>;

/**
 * True when the controller refused a session for a service because posture checks do not pass. `cause.data` says which. A check of
 * the kind `MFA` passes after another TOTP code.
 *
 * @example
 * try {
 *   await edge.sessions.create({ serviceId });
 * } catch (error) {
 *   if (!isInvalidPosture(error)) throw error;
 *   const failing = Object.values(error.cause?.data ?? {}).flat();
 *   if (failing.some(({ typeId }) => typeId === 'MFA')) await edge.answer.totp(await ask('Code'));
 * }
 */
export function isInvalidPosture(error: unknown): error is EdgeApiError & {
  readonly code: 'INVALID_POSTURE';
  readonly cause?: ApiErrorCause & { readonly data?: FailingPostureChecks };
} {
  return isEdgeApiError(error, 'INVALID_POSTURE');
}

/**
 * True for an `EdgeAuthQueryError`. With `code`: true only if the error has this code.
 *
 * @example
 * if (isEdgeAuthQueryError(error, 'OUTSTANDING')) await edge.answer.totp(code);
 */
export function isEdgeAuthQueryError<C extends AuthQueryCode = AuthQueryCode>(
  error: unknown,
  code?: C,
): error is EdgeAuthQueryError & { readonly code: C } {
  return isNamed(error, 'EdgeAuthQueryError') && (code === undefined || (error as EdgeAuthQueryError).code === code);
}

/**
 * True for an `EdgeNetworkError`, and for an `EdgeTlsError`.
 *
 * @example
 * if (isEdgeNetworkError(error)) render('You are offline. The session stays; the next call tries again.');
 */
export function isEdgeNetworkError(error: unknown): error is EdgeNetworkError {
  return isNamed(error, 'EdgeNetworkError') || isNamed(error, 'EdgeTlsError');
}

/**
 * True for an `EdgeTimeoutError`.
 *
 * @example
 * const version = await edge.client.version.get({ timeout: 500 }).catch((error: unknown) => {
 *   if (isEdgeTimeoutError(error)) return null;
 *   throw error;
 * });
 */
export function isEdgeTimeoutError(error: unknown): error is EdgeTimeoutError {
  return isNamed(error, 'EdgeTimeoutError');
}

/**
 * True for an `EdgeInvalidResponseError`.
 *
 * @example
 * if (isEdgeInvalidResponseError(error)) render('A proxy or another server responds at this address.');
 */
export function isEdgeInvalidResponseError(error: unknown): error is EdgeInvalidResponseError {
  return isNamed(error, 'EdgeInvalidResponseError');
}

/**
 * True for an `EdgeTokenError`. With `code`: true only if the error has this code.
 *
 * @example
 * if (isEdgeTokenError(error, 'NO_TOKEN')) render('Sign in at your provider first.');
 */
export function isEdgeTokenError<C extends TokenErrorCode = TokenErrorCode>(
  error: unknown,
  code?: C,
): error is EdgeTokenError & { readonly code: C } {
  return isNamed(error, 'EdgeTokenError') && (code === undefined || (error as EdgeTokenError).code === code);
}

/**
 * True for an `EdgeEnrollmentError`. With `code`: true only if the error has this code.
 *
 * @example
 * if (isEdgeEnrollmentError(error, 'EXPIRED')) render('Ask the administrator for a new enrollment.');
 */
export function isEdgeEnrollmentError<C extends EnrollmentErrorCode = EnrollmentErrorCode>(
  error: unknown,
  code?: C,
): error is EdgeEnrollmentError & { readonly code: C } {
  return isNamed(error, 'EdgeEnrollmentError') && (code === undefined || (error as EdgeEnrollmentError).code === code);
}

/**
 * True for an `EdgeTlsError`. With `reason`: true only if the error has this reason.
 *
 * @example
 * if (isEdgeTlsError(error, 'UNTRUSTED')) console.error('pass the CA of the controller as `caFile`');
 */
export function isEdgeTlsError<R extends TlsReason = TlsReason>(
  error: unknown,
  reason?: R,
): error is EdgeTlsError & { readonly reason: R } {
  return isNamed(error, 'EdgeTlsError') && (reason === undefined || (error as EdgeTlsError).reason === reason);
}
