import type { Credentials } from '../call.ts';
import type { ChainRule } from '../pki/path/broken-rule.ts';

/** Milliseconds between two looks at all certificates of clients that nobody knows. */
const interval = 1_000;
let lookedAt = Number.NEGATIVE_INFINITY;

interface Verifier<Result> {
  /** Whether the client has proven something else, or the leaf is of an authenticator. */
  readonly isKnown: boolean;
  readonly verify: (certificates: readonly Buffer[]) => Result | Promise<Result>;
  /** Whether a valid path needs no second look. Default: every one. */
  readonly isEnough?: (result: Result) => boolean;
}

/**
 * Verifies the certificates that a client presented: first the issuers that Node links to the leaf. It may miss some when they
 * come in another order than that of the path. Then a second look takes all that was sent. Node never frees those, some
 * kilobytes for each connection, so clients that nobody knows get one second look a second, all of them together.
 */
export async function verifyPresented<Result extends { readonly client: unknown; readonly rule?: ChainRule }>(
  credentials: Pick<Credentials, 'certificates' | 'sentCertificates'>,
  { isKnown, verify, isEnough = () => true }: Verifier<Result>,
): Promise<Result> {
  const linked = await verify(credentials.certificates);
  if (linked.client !== null && isEnough(linked)) return linked;
  if (linked.rule === 'too-much-work' || !(isKnown || takeTurn())) return linked;
  const { certificates, sentCertificates } = credentials;
  if (sentCertificates.length <= certificates.length) return linked;
  const sent = await verify(sentCertificates);
  return sent.client === null && linked.client !== null ? linked : sent;
}

function takeTurn(): boolean {
  const now = performance.now();
  if (now - lookedAt < interval) return false;
  lookedAt = now;
  return true;
}
