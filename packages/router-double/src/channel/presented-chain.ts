import { hash } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** DER of the certificates that the peer presented, the leaf first. Empty: none. */
export function presentedChain(socket: TLSSocket): readonly Buffer[] {
  const chain: Buffer[] = [];
  // Without a certificate, Node returns an object without members.
  let next: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true);
  while (next?.raw && !chain.some((der) => der.equals(next?.raw ?? Buffer.alloc(0)))) {
    chain.push(next.raw);
    next = next.issuerCertificate;
  }
  return chain;
}

/** SHA-1 of each certificate that the peer presented, the leaf first. */
export function presentedFingerprints(socket: TLSSocket): readonly string[] {
  return presentedChain(socket).map((der) => hash('sha1', der));
}
