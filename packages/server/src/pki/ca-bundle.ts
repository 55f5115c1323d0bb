import { certsOnlyPkcs7 } from './certs-only-pkcs7.ts';
import { base64Lines } from './pem.ts';
import type { Pki } from './pki.ts';

/** The CA certificates that clients trust, in DER, each once. */
export function caCertificates({ roots, intermediates }: Pick<Pki, 'roots' | 'intermediates'>): readonly Buffer[] {
  const distinct = new Map([...roots, ...intermediates].map((der) => [der.toString('latin1'), der]));
  return [...distinct.values()];
}

/** The same as certs-only PKCS#7: base64 in lines of 64 characters, no newline at the end. */
export function caBundle(pki: Pick<Pki, 'roots' | 'intermediates'>): string {
  return base64Lines(certsOnlyPkcs7(caCertificates(pki)));
}
