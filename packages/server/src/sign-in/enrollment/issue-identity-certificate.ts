import type { SignedCertificate } from '../../pki/network-pki.ts';
import { certificateDates } from './certificate-dates.ts';
import type { EnrollmentCall } from './dependencies.ts';

interface Request {
  readonly identityId: string;
  /** PKCS#10 in PEM. */
  readonly csr: string;
  /** DER of the certificate that the new one replaces. Its subject alternative names are copied. */
  readonly replaces?: Buffer;
}

/**
 * Issues the certificate with which an identity signs in, valid for one year.
 *
 * @throws 400 `COULD_NOT_PROCESS_CSR`
 */
export function issueIdentityCertificate(
  { pki, clock }: Pick<EnrollmentCall, 'pki' | 'clock'>,
  { identityId, csr, replaces }: Request,
): Promise<SignedCertificate> {
  return pki.issueClientCertificate({
    csr,
    uri: `spiffe://${pki.trustDomain}/identity/${identityId}`,
    ...(replaces && { namesOf: replaces }),
    ...certificateDates(clock()),
  });
}
