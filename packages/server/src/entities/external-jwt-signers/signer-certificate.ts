import type { Certificate } from '@edge-controller/certificate-path';
import { BrokenRule, readCertificate } from '@edge-controller/certificate-path';
import { ApiError } from '../../core/api-error.ts';
import { isoTime } from '../../core/time/clock.ts';
import { publicKeyOfCertificate, UnusableKey } from '../../credentials/jwt/public-key.ts';
import { fingerprintOf } from '../../pki/certificate-prints.ts';
import { readPem } from '../../pki/pem.ts';

/** What a signer shows of its certificate. */
interface SignerCertificate {
  readonly commonName: string;
  /** SHA-1 in lower-case hex. */
  readonly fingerprint: string | null;
  readonly notBefore: string;
  readonly notAfter: string;
}

const zeroDate = '0001-01-01T00:00:00.000Z';
/** What a signer without a certificate shows. */
export const noCertificate: SignerCertificate = {
  commonName: '',
  fingerprint: null,
  notBefore: zeroDate,
  notAfter: zeroDate,
};

/**
 * Reads the certificate of a signer. The text may have nothing else, so that nobody publishes a private key by mistake. It
 * need not be valid now: only its key counts, which has the rules of all keys that verify JWTs.
 *
 * @throws ApiError 400 `INVALID_CERT_PEM` with the rule that the text or the key breaks
 */
export function readSignerCertificate(certPem: string | null): SignerCertificate {
  if (certPem === null) return noCertificate;
  const [block, ...others] = readPem(certPem);
  if (block?.label !== 'CERTIFICATE' || others.length > 0) throw refused('exactly one certificate is required');
  const { der, subject, notBefore, notAfter } = readUsable(block.bytes);
  return {
    commonName: subject.commonNames.at(-1) ?? '',
    fingerprint: fingerprintOf(der),
    notBefore: isoTime(notBefore * 1000),
    notAfter: isoTime(notAfter * 1000),
  };
}

function readUsable(der: Buffer): Certificate {
  try {
    publicKeyOfCertificate(der);
    return readCertificate(der);
  } catch (error) {
    if (error instanceof UnusableKey || error instanceof BrokenRule) throw refused(error.message);
    throw error;
  }
}

function refused(reason: string): ApiError {
  return new ApiError('INVALID_CERT_PEM', { cause: { field: 'certPem', reason } });
}
