import type { Enroll, EnrollParts } from './enroll.ts';

/** Creates the function that redeems enrollments. Its code is loaded when it is called: most clients never enroll. */
export function createEnroll(parts: EnrollParts): Enroll {
  return async (enrollment, options = {}) => {
    const { redeemEnrollment } = await import('./redeem-enrollment.ts');
    return redeemEnrollment(parts, enrollment, options);
  };
}
