import type { Certificate } from '@edge-controller/certificate-path';
import { fingerprintOf } from './certificate-prints.ts';

const spiffe = /^spiffe:\/\/([^/?#]+)/;

/** The trust domain of a SPIFFE URI in one of the certificates, or else the SHA-1 of the root in hex, as on the wire. */
export function defaultTrustDomain(certificates: readonly Certificate[], root: Certificate): string {
  for (const { extensions } of certificates) {
    for (const { form, value } of extensions.subjectAltNames?.names ?? []) {
      const domain = form === 'uri' ? spiffe.exec(value)?.[1] : undefined;
      if (domain !== undefined) return domain;
    }
  }
  return fingerprintOf(root.der);
}
