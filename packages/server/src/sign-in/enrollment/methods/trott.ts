import { setFields } from '../../../crud/write.ts';
import { issueRouterCertificates } from '../issue-router-certificates.ts';
import type { EnrollmentMethodHandler } from '../method.ts';

/** Issues the certificates of a transit router. */
export const trott: EnrollmentMethodHandler = async (call, { ownerId }, body) => {
  const { certificates, verified } = await issueRouterCertificates(call, ownerId, body);
  return async (unit) => {
    await setFields(unit, 'transitRouters', ownerId, () => verified);
    return certificates;
  };
};
