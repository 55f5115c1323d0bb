import type { Certificate, IssuerFlaw } from '@edge-controller/certificate-path';
import { BrokenRule, extendedKeyUsages, issuerFlaw, readCertificate } from '@edge-controller/certificate-path';
import { ApiError, invalidField } from '../core/api-error.ts';
import { fingerprintOf } from './certificate-prints.ts';
import { readPem } from './pem.ts';

/** A certificate that can be an anchor of client certificates. */
export interface CaCertificate {
  readonly der: Buffer;
  /** SHA-1 in lower-case hex. */
  readonly fingerprint: string;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
}

/**
 * Reads the certificate of a third-party CA from PEM. The text may have more certificates; the first one counts. It may not
 * have anything else, so that nobody publishes a private key by mistake.
 *
 * @param at milliseconds since 1970
 * @throws ApiError 400 with field `certPem` for a text that cannot be read, and for a certificate that path validation would
 *   never accept as an issuer of client certificates: the reason names the rule. 400 `CERTIFICATE_IS_NOT_CA`
 */
export function readCaCertificate(certPem: string, at: number): CaCertificate {
  if (certPem === '') throw invalidField('certPem', 'invalid certificate, could not parse PEM body', '');
  const blocks = readPem(certPem);
  const [first = unparsable(1)] = blocks.map((block, index) => {
    return block?.label === 'CERTIFICATE' ? readBlock(block.bytes, index + 1) : unparsable(index + 1);
  });
  checkAnchor(first, at);
  return {
    der: first.der,
    fingerprint: fingerprintOf(first.der),
    publicKey: first.spki,
  };
}

function unparsable(block: number): never {
  throw invalidField('certPem', `could not parse block #${block}`);
}

function readBlock(der: Buffer, block: number): Certificate {
  try {
    return readCertificate(der);
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return error.rule === 'malformed' ? unparsable(block) : refuse(error);
  }
}

function checkAnchor({ der, flaw, extensions, notBefore }: Certificate, at: number): void {
  if (!flaw && !extensions.basicConstraints?.ca) {
    const cause = { field: 'certPem', reason: 'not-a-ca: a certificate without basicConstraints with CA:TRUE' };
    throw new ApiError('CERTIFICATE_IS_NOT_CA', { cause });
  }
  // One that is not valid yet may be registered before.
  const first = Math.max(at, notBefore * 1000);
  const broken = issuerFlaw({ der, at: first, requiredExtendedKeyUsage: extendedKeyUsages.clientAuth });
  if (broken) refuse(broken);
}

function refuse({ rule, message }: IssuerFlaw): never {
  throw invalidField('certPem', `${rule}: ${message}`);
}
