import type { Pki } from './pki.ts';

/** The CA certificates that clients trust, in DER, each once. */
export function caCertificates({ roots, intermediates }: Pick<Pki, 'roots' | 'intermediates'>): readonly Buffer[] {
  const distinct = new Map([...roots, ...intermediates].map((der) => [der.toString('latin1'), der]));
  return [...distinct.values()];
}

/** The same as certs-only PKCS#7 (RFC 7030, section 4.1.3): base64 in lines of 64 characters. */
export async function caBundle(pki: Pick<Pki, 'roots' | 'intermediates'>): Promise<string> {
  const { certsOnlyPkcs7 } = await import('./certificates.ts');
  return certsOnlyPkcs7(caCertificates(pki));
}
