import { addCertificateAuthenticator } from '../../../entities/authenticators/add-certificate-authenticator.ts';
import { issueIdentityCertificate } from '../issue-identity-certificate.ts';
import type { EnrollmentMethodHandler } from '../method.ts';

/** Issues a certificate for the key of the CSR. */
export const ott: EnrollmentMethodHandler = async (call, { ownerId: identityId }, { clientCsr }) => {
  const issued = await issueIdentityCertificate(call, { identityId, csr: clientCsr ?? '' });
  const { chainPem } = issued;
  return async (unit) => {
    await addCertificateAuthenticator(unit, { ...issued, identityId, certPem: chainPem, isIssuedByNetwork: true });
    return { cert: chainPem };
  };
};
