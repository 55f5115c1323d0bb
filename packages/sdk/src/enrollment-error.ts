import { isEdgeApiError, isNamed } from './errors.ts';

type EnrollmentErrorCode = keyof typeof texts;

const texts = {
  NOT_AN_ENROLLMENT: ['the text is not a JWT of an enrollment', 'use the whole JWT that the administrator gave you'],
  UNSUPPORTED_METHOD: ['the enrollment has a method that the SDK cannot redeem', 'ask for another enrollment'],
  EXPIRED: [
    'the enrollment has expired',
    'ask the administrator to refresh it; check the clock of this machine if it should be valid',
  ],
  CLOCK_SKEW: [
    'the enrollment is valid for the controller but not for the clock of this machine',
    'set the clock of this machine',
  ],
  USED_OR_UNKNOWN: [
    'the controller does not know the enrollment: it was used, refreshed or deleted',
    'ask the administrator for a new enrollment',
  ],
  OTHER_CONTROLLER: [
    'the enrollment does not belong to this controller',
    'check the address; if the controller has a new server certificate, ask the administrator to refresh the enrollment',
  ],
  WRONG_METHOD: ['the enrollment has another method', 'pass `password` for updb, or name the `method` of the token'],
} as const;

/** The enrollment could not be redeemed. */
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
  /** How to mend it. */
  readonly hint: string;

  constructor(code: EnrollmentErrorCode, cause?: unknown) {
    const [message, hint] = texts[code];
    super(`${message}; ${hint} (${code})`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** True for an `EdgeEnrollmentError`. With `code`: true only if the error has this code. */
export function isEdgeEnrollmentError<C extends EnrollmentErrorCode = EnrollmentErrorCode>(
  error: unknown,
  code?: C,
): error is EdgeEnrollmentError & { readonly code: C } {
  return isNamed(error, 'EdgeEnrollmentError') && (code === undefined || (error as EdgeEnrollmentError).code === code);
}

/** The same error, or what the refusal of the controller means for an enrollment. */
export function enrollmentError(error: unknown, { isOfOther }: { isOfOther: boolean }): unknown {
  if (isEdgeApiError(error, 'ENROLLMENT_EXPIRED')) return new EdgeEnrollmentError('EXPIRED', error);
  if (isEdgeApiError(error, 'INVALID_ENROLL_METHOD')) return new EdgeEnrollmentError('WRONG_METHOD', error);
  if (!isEdgeApiError(error, 'INVALID_ENROLLMENT_TOKEN')) return error;
  return new EdgeEnrollmentError(isOfOther ? 'OTHER_CONTROLLER' : 'USED_OR_UNKNOWN', error);
}
