import type { GenericEnroll } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import type { SignedCertificate } from '../../pki/network-pki.ts';
import { readCsr, refused } from '../../pki/read-csr.ts';
import { certificateDates } from './certificate-dates.ts';
import type { EnrollmentCall } from './dependencies.ts';

type Csrs = Pick<GenericEnroll, 'certCsr' | 'serverCertCsr'>;

/** What a router gets, and what the controller remembers of it. */
interface RouterCertificates {
  readonly certificates: { readonly cert: string; readonly serverCert: string; readonly ca: string };
  readonly verified: {
    readonly isVerified: true;
    readonly fingerprint: string;
    readonly unverifiedFingerprint: null;
    readonly unverifiedCertPem: null;
  };
}

/**
 * Issues the two certificates of a router: its subject and its names come from the CSRs. The server CSR is checked first.
 *
 * @throws 400 `MISSING_OR_INVALID_CSR`; `COULD_NOT_PROCESS_CSR` when the client CSR is not for this router
 */
export async function issueRouterCertificates(
  call: Pick<EnrollmentCall, 'pki' | 'clock'>,
  routerId: string,
  { certCsr, serverCertCsr }: Csrs,
): Promise<RouterCertificates> {
  const server = await issue(call, 'server', serverCertCsr);
  const subject = await readable('client', () => readCsr(certCsr ?? ''));
  if (subject.commonNames.length !== 1 || subject.commonNames[0] !== routerId) throw refused('invalid client CSR');
  const client = await issue(call, 'client', certCsr);
  const { fingerprint } = client;
  return {
    certificates: { cert: client.chainPem, serverCert: server.chainPem, ca: call.pki.caPem },
    verified: { isVerified: true, fingerprint, unverifiedFingerprint: null, unverifiedCertPem: null },
  };
}

function issue(
  { pki, clock }: Pick<EnrollmentCall, 'pki' | 'clock'>,
  usage: 'client' | 'server',
  csr: string | null | undefined,
): Promise<SignedCertificate> {
  return readable(usage, () => pki.issueRouterCertificate({ csr: csr ?? '', usage, ...certificateDates(clock()) }));
}

/** Says which CSR cannot be used, and why. */
async function readable<T>(usage: 'client' | 'server', read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'COULD_NOT_PROCESS_CSR') throw error;
    const message = `invalid ${usage} CSR: ${error.detail?.message}`;
    throw new ApiError('MISSING_OR_INVALID_CSR', { cause: { code: 'UNHANDLED', message } });
  }
}
