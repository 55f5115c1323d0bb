import { isEdgeApiError } from '../errors/error-guards.ts';
import type { EnrollmentErrorCode } from '../errors/errors.ts';
import { EdgeEnrollmentError } from '../errors/errors.ts';

const texts: Readonly<Record<EnrollmentErrorCode, readonly [string, string]>> = {
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
};

/** The texts are not in the class, because most pages never need them. */
export function enrollmentError(code: EnrollmentErrorCode, cause?: unknown): EdgeEnrollmentError {
  return new EdgeEnrollmentError(code, texts[code], cause);
}

/** The same error, or what the refusal of the controller means for an enrollment. */
export function enrollmentRefusal(error: unknown, { isOfOther }: { isOfOther: boolean }): unknown {
  if (isEdgeApiError(error, 'ENROLLMENT_EXPIRED')) return enrollmentError('EXPIRED', error);
  if (isEdgeApiError(error, 'INVALID_ENROLL_METHOD')) return enrollmentError('WRONG_METHOD', error);
  if (!isEdgeApiError(error, 'INVALID_ENROLLMENT_TOKEN')) return error;
  return enrollmentError(isOfOther ? 'OTHER_CONTROLLER' : 'USED_OR_UNKNOWN', error);
}
