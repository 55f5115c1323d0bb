import type { Credentials } from '../core/call.ts';
import { fingerprintOf } from '../pki/certificate-prints.ts';
import { firstCertificateOf } from '../pki/pem.ts';
import type { LiveApiSession } from '../storage/session-store/session-store.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Whether the connection has proven a certificate of an API session: that of the sign-in, one that has replaced it, or one that
 * was made in the session. Its chain was verified when the session got it.
 */
export async function hasOwnCertificate(
  { sessions }: Pick<Dependencies, 'sessions'>,
  { tokenHash }: LiveApiSession,
  { certificates: [leaf] }: Credentials,
): Promise<boolean> {
  if (!leaf) return false;
  const fingerprint = fingerprintOf(leaf);
  const own = await sessions.certificates.list(tokenHash);
  return own.some((known) => known.fingerprint === fingerprint && firstCertificateOf(known.certPem).equals(leaf));
}
