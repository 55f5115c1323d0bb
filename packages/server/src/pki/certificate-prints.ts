import { hash } from 'node:crypto';
import type { Certificate } from '@edge-controller/certificate-path';

/** What a certificate and its key are recognised by. */
export interface CertificatePrints {
  /** SHA-1 of the DER, in lower-case hex. */
  readonly fingerprint: string;
  /** SHA-256 of the SubjectPublicKeyInfo, in lower-case hex. */
  readonly publicKeyPrint: string;
}

/** The certificate must have a valid chain. */
export function printsOf({ der, spki }: Pick<Certificate, 'der' | 'spki'>): CertificatePrints {
  return { fingerprint: fingerprintOf(der), publicKeyPrint: hash('sha256', spki) };
}

/** SHA-1 of the DER of a certificate, in lower-case hex. */
export function fingerprintOf(der: Buffer): string {
  return hash('sha1', der);
}
