import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Credentials } from '../call.ts';

const bearerPrefix = 'Bearer ';
const maxBearerTokens = 3;
const noTokens: readonly string[] = [];
const maxCertificates = 10;
const maxChainBytes = 65_536;
const noCertificates: readonly Buffer[] = [];

/** `names`: the session headers in lower case, in the order in which they count. Of repeated headers the first counts. */
export function readCredentials(request: IncomingMessage, names: readonly string[]): Credentials {
  return {
    sessionToken: sessionTokenOf(request, names),
    bearerTokens: request.headers.authorization === undefined ? noTokens : bearerTokensOf(request),
    certificates: presentedCertificates(request.socket),
  };
}

function sessionTokenOf(request: IncomingMessage, names: readonly string[]): string | null {
  for (const name of names) {
    const value = request.headers[name];
    // Node joins repeated headers with a comma.
    const token = typeof value === 'string' && value.includes(',') ? valuesOf(request, name)[0] : value;
    if (typeof token === 'string' && token !== '') return token;
  }
  return null;
}

/** Node keeps only the first `Authorization` header; the wire allows several. The prefix is case-sensitive there. */
function bearerTokensOf(request: IncomingMessage): readonly string[] {
  return valuesOf(request, 'authorization')
    .filter((value) => value.startsWith(bearerPrefix))
    .map((value) => value.slice(bearerPrefix.length))
    .slice(0, maxBearerTokens);
}

function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

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
  const read = socket instanceof TLSSocket && !socket.isSessionReused() ? readChain(socket) : noCertificates;
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
    if (chain.length > maxCertificates || length > maxChainBytes) return noCertificates;
    certificate = certificate.issuerCertificate;
  }
  return chain.length === 0 ? noCertificates : chain;
}
