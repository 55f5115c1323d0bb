import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate } from 'node:tls';
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
    get certificates() {
      return presentedCertificates(request.socket);
    },
    get sentCertificates() {
      return sentCertificates(request.socket);
    },
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

/**
 * Node keeps only the first `Authorization` header; the wire allows several, and `fetch` joins them with a comma. The prefix is
 * case-sensitive on the wire.
 */
function bearerTokensOf(request: IncomingMessage): readonly string[] {
  return valuesOf(request, 'authorization')
    .flatMap((value) => value.split(/, ?(?=Bearer )/))
    .filter((value) => value.startsWith(bearerPrefix))
    .map((value) => value.slice(bearerPrefix.length))
    .slice(0, maxBearerTokens);
}

function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

/** What was read of a connection. A second `getPeerX509Certificate` would show the leaf alone. */
type Known = WeakMap<Socket, readonly Buffer[]>;
const [linked, sent]: readonly [Known, Known] = [new WeakMap(), new WeakMap()];

/**
 * The certificates that the client presented on a connection, in DER: the leaf, and the issuers that Node links to it. Empty
 * for none, for more than 10 or more than 64 KiB, and for a resumed TLS session, which proves no chain.
 */
export function presentedCertificates(socket: Socket): readonly Buffer[] {
  return readOnce(linked, socket, (tls): Partial<DetailedPeerCertificate> => tls.getPeerCertificate(true));
}

/**
 * The same, with all that was sent: the leaf first, the others as they were sent. Node never frees the native memory of the
 * others, so every connection that this is called for costs some kilobytes for ever.
 */
export function sentCertificates(socket: Socket): readonly Buffer[] {
  presentedCertificates(socket);
  return readOnce(sent, socket, (tls) => tls.getPeerX509Certificate());
}

interface Linked {
  readonly raw?: Buffer;
  readonly issuerCertificate?: Linked | undefined;
}

function readOnce(known: Known, socket: Socket, first: (socket: TLSSocket) => Linked | undefined): readonly Buffer[] {
  const before = known.get(socket);
  if (before) return before;
  const read = socket instanceof TLSSocket && !socket.isSessionReused() ? readChain(first(socket)) : noCertificates;
  known.set(socket, read);
  return read;
}

function readChain(leaf: Linked | undefined): readonly Buffer[] {
  const chain: Buffer[] = [];
  let length = 0;
  // Without a certificate Node returns an empty object. A root is its own issuer.
  for (let at = leaf; at?.raw; at = at.issuerCertificate === at ? undefined : at.issuerCertificate) {
    chain.push(at.raw);
    length += at.raw.length;
    if (chain.length > maxCertificates || length > maxChainBytes) return noCertificates;
  }
  return chain.length === 0 ? noCertificates : chain;
}
