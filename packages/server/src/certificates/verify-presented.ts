import type { Credentials } from '../call.ts';
import type { ChainRule } from '../pki/path/broken-rule.ts';

/** Milliseconds between two looks at all certificates of clients that nobody knows. */
const interval = 1_000;
let lookedAt = Number.NEGATIVE_INFINITY;

/**
 * Verifies the certificates that a client presented: first the issuers that Node links to the leaf. It may miss some when they
 * come in another order than that of the path. Then a second look takes all that was sent. Node never frees those, some
 * kilobytes for each connection, so clients that nobody knows get one second look a second, all of them together.
 */
export async function verifyPresented<Result extends { readonly client: unknown; readonly rule?: ChainRule }>(
  credentials: Pick<Credentials, 'certificates' | 'sentCertificates'>,
  { isKnown, verify }: { isKnown: boolean; verify: (certificates: readonly Buffer[]) => Result | Promise<Result> },
): Promise<Result> {
  const linked = await verify(credentials.certificates);
  if (linked.client !== null || linked.rule === 'too-much-work' || !(isKnown || takeTurn())) return linked;
  const { certificates, sentCertificates } = credentials;
  return sentCertificates.length > certificates.length ? await verify(sentCertificates) : linked;
}

function takeTurn(): boolean {
  const now = performance.now();
  if (now - lookedAt < interval) return false;
  lookedAt = now;
  return true;
}
