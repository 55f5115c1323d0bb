import { BrokenRule } from './broken-rule.ts';
import type { Certificate } from './certificate.ts';
import { readCertificate } from './certificate.ts';
import type { PublicKey } from './public-key.ts';
import type { SignatureAlgorithm } from './signature-algorithm.ts';
import { isSignedBy } from './signature-algorithm.ts';

/** The certificates of the controller stay the same from call to call. There may be hundreds of anchors. */
const certificates = new WeakMap<Buffer, Certificate | null>();
/** By a certificate of the controller: whether the key of another one has signed it. */
const signatures = new WeakMap<Certificate, WeakMap<PublicKey, boolean>>();

/**
 * Reads a certificate once for as long as its buffer exists. Returns `null` for a certificate that cannot be read: nothing
 * is below it.
 */
export function readOnce(der: Buffer): Certificate | null {
  const known = certificates.get(der);
  if (known !== undefined) return known;
  let certificate: Certificate | null = null;
  try {
    certificate = readCertificate(der);
    signatures.set(certificate, new WeakMap());
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
  }
  certificates.set(der, certificate);
  return certificate;
}

/**
 * As `isSignedBy`. The signature of a certificate of `readOnce` is checked once with each key object. What a client sends is
 * a new object in each call, and so is its key: such a signature is always checked.
 *
 * @throws BrokenRule when the key is none
 */
export function isSignedByOnce(child: Certificate, algorithm: SignatureAlgorithm, key: PublicKey): boolean {
  const known = signatures.get(child);
  let signed = known?.get(key);
  if (signed === undefined) {
    signed = isSignedBy(key, { ...child, algorithm });
    known?.set(key, signed);
  }
  return signed;
}
