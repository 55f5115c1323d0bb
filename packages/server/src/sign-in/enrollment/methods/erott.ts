import { setFields } from '../../../crud/write.ts';
import { issueRouterCertificates } from '../issue-router-certificates.ts';
import type { EnrollmentMethodHandler } from '../method.ts';

/** Issues the certificates of an edge router. */
export const erott: EnrollmentMethodHandler = async (call, { ownerId }, body) => {
  const { certificates, verified } = await issueRouterCertificates(call, ownerId, body);
  return async (unit) => {
    await setFields(unit, 'edgeRouters', ownerId, () => ({ ...verified, certPem: certificates.cert }));
    return certificates;
  };
};
