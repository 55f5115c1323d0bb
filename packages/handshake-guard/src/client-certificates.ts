import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { maxChainBytes } from './certificate-message.ts';
import { checkWork } from './check-work.ts';
import { guards } from './connection-guard.ts';
import { expensive } from './handshake-turns.ts';

const maxCertificates = 10;

interface Chain {
  readonly certificates: readonly Buffer[];
  /** Whether there were more certificates or bytes than are read. */
  readonly isTooLong: boolean;
}

const none: readonly Buffer[] = [];
const noChain: Chain = { certificates: none, isTooLong: false };

/** What was read of a connection. A second `getPeerX509Certificate` would show the leaf alone. */
type Known = WeakMap<Socket, Chain>;
const [linked, sent]: readonly [Known, Known] = [new WeakMap(), new WeakMap()];

/**
 * The certificates that the client presented on a connection, in DER, the leaf first. With a guard, the others follow as they
 * were sent. Without one, they are the issuers that Node links to the leaf. Empty for no certificate, for more than 10, for
 * more than 64 KiB, and for a resumed TLS session, which proves no chain.
 */
export function presentedCertificates(socket: Socket): readonly Buffer[] {
  const guard = guards.get(socket);
  return guard?.certificates ? readable(guard.certificates) : linkedChain(socket).certificates;
}

/**
 * Like `presentedCertificates`, but with all certificates that were sent: Node may link fewer when the issuers are not in the
 * order of the path. To ask Node for all of them leaks their memory. A guarded server allows that a few times for each address,
 * any other server once a second.
 */
export function sentCertificates(socket: Socket): readonly Buffer[] {
  const guard = guards.get(socket);
  if (guard?.certificates) return readable(guard.certificates);
  const { certificates } = linkedChain(socket);
  const mayLeak = () => (guard ? guard.mayLeak() : takeTurn());
  if (!sent.has(socket) && !mayLeak()) return certificates;
  return readOnce(sent, socket, (tls) => tls.getPeerX509Certificate()).certificates;
}

function readable(certificates: readonly Buffer[]): readonly Buffer[] {
  return certificates.length > maxCertificates ? none : certificates;
}

/** Whether OpenSSL spent so much time on the certificates of a connection that a guard would have made its address wait. */
export function wereExpensive(socket: Socket): boolean {
  const { certificates, isTooLong } = linkedChain(socket);
  if (isTooLong) return true;
  try {
    return checkWork(certificates) > expensive;
  } catch {
    return true;
  }
}

function linkedChain(socket: Socket): Chain {
  return readOnce(linked, socket, (tls): Linked => tls.getPeerCertificate(true));
}

/** Milliseconds between two leaks on servers without a guard. */
const interval = 1_000;
let leakedAt = Number.NEGATIVE_INFINITY;

function takeTurn(): boolean {
  const now = performance.now();
  if (now - leakedAt < interval) return false;
  leakedAt = now;
  return true;
}

interface Linked {
  readonly raw?: Buffer;
  readonly issuerCertificate?: Linked | undefined;
}

function readOnce(known: Known, socket: Socket, first: (socket: TLSSocket) => Linked | undefined): Chain {
  const before = known.get(socket);
  if (before) return before;
  const read = socket instanceof TLSSocket && !socket.isSessionReused() ? readChain(first(socket)) : noChain;
  known.set(socket, read);
  return read;
}

function readChain(leaf: Linked | undefined): Chain {
  const certificates: Buffer[] = [];
  let length = 0;
  // Without a certificate Node returns an empty object. A root is its own issuer.
  for (let at = leaf; at?.raw; at = at.issuerCertificate === at ? undefined : at.issuerCertificate) {
    certificates.push(at.raw);
    length += at.raw.length;
    const isTooLong = certificates.length > maxCertificates || length > maxChainBytes;
    if (isTooLong) return { certificates: none, isTooLong };
  }
  return certificates.length === 0 ? noChain : { certificates, isTooLong: false };
}
