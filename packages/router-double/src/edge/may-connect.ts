import type { X509Certificate } from 'node:crypto';
import type { ApiSession } from '@edge-controller/router-messages';

/** Whether an application with this certificate may use an API session: by its fingerprint, or by a SPIFFE id of the session. */
export function mayConnect({ id, certFingerprints }: ApiSession, leaf: X509Certificate): boolean {
  if (certFingerprints.includes(leaf.fingerprint.replaceAll(':', '').toLowerCase())) return true;
  return spiffeIdsOf(leaf).some((path) => sessionOf(path) === id);
}

/** The paths, without the trust domain. */
function spiffeIdsOf({ subjectAltName }: X509Certificate): readonly string[] {
  return [...(subjectAltName ?? '').matchAll(/URI:spiffe:\/\/[^/,]*(\/[^,\s]*)/g)].map(([, path = '']) => path);
}

function sessionOf(path: string): string | undefined {
  return /^\/identity\/[^/]+\/apiSession\/([^/]+)(?:\/apiSessionCertificate\/[^/]+)?$/.exec(path)?.[1];
}
