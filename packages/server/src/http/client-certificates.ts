import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const maxCertificates = 10;
const maxBytes = 65_536;
const none: readonly Buffer[] = [];

/** Per connection, because only the first reading of a connection shows more than the leaf. */
const bySocket = new WeakMap<Socket, readonly Buffer[]>();

/**
 * The certificates that the client presented on a connection, in DER: the leaf first, the others as they were sent. Empty
 * for none, for more than 10 or more than 64 KiB, and for a resumed TLS session, which proves no chain. They are read at
 * the first call, which `listen` makes as soon as the connection is secure.
 */
export function presentedCertificates(socket: Socket): readonly Buffer[] {
  const known = bySocket.get(socket);
  if (known) return known;
  const read = socket instanceof TLSSocket && !socket.isSessionReused() ? readChain(socket) : none;
  bySocket.set(socket, read);
  return read;
}

function readChain(socket: TLSSocket): readonly Buffer[] {
  const chain: Buffer[] = [];
  let length = 0;
  let certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
  while (certificate) {
    chain.push(certificate.raw);
    length += certificate.raw.length;
    if (chain.length > maxCertificates || length > maxBytes) return none;
    certificate = certificate.issuerCertificate;
  }
  return chain.length === 0 ? none : chain;
}
