import type { ChainRule } from '@edge-controller/certificate-path';
import type { Credentials } from '../../core/call.ts';

interface Verifier<Result> {
  readonly verify: (certificates: readonly Buffer[]) => Result | Promise<Result>;
  /** Whether a valid path needs no second check. Default: every one. */
  readonly isEnough?: (result: Result) => boolean;
}

/**
 * Verifies the certificates that a client presented: first those that are read at no cost. Without a guard, Node may not link
 * issuers that come out of order. Then a second check takes all that was sent.
 */
export async function verifyPresented<Result extends { readonly client: unknown; readonly rule?: ChainRule }>(
  credentials: Pick<Credentials, 'certificates' | 'sentCertificates'>,
  { verify, isEnough = () => true }: Verifier<Result>,
): Promise<Result> {
  const linked = await verify(credentials.certificates);
  if (linked.client !== null && isEnough(linked)) return linked;
  if (linked.rule === 'too-much-work') return linked;
  const { certificates, sentCertificates } = credentials;
  if (sentCertificates.length <= certificates.length) return linked;
  const sent = await verify(sentCertificates);
  return sent.client === null && linked.client !== null ? linked : sent;
}
