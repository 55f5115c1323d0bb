import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { presentedCertificates, sentCertificates } from '@edge-controller/handshake-guard';
import type { Credentials } from '../core/call.ts';

const bearerPrefix = 'Bearer ';
const maxBearerTokens = 3;
const noTokens: readonly string[] = [];

/** `names`: the session headers in lower case, in the order in which they count. Of repeated headers the first counts. */
export function readCredentials(request: IncomingMessage, names: readonly string[]): Credentials {
  return new RequestCredentials(request, names);
}

/** A class, because an object literal with getters is made anew, with its own shape, for each request. */
class RequestCredentials implements Credentials {
  readonly sessionToken: string | null;
  readonly bearerTokens: readonly string[];
  readonly #socket: Socket;

  constructor(request: IncomingMessage, names: readonly string[]) {
    this.sessionToken = sessionTokenOf(request, names);
    this.bearerTokens = request.headers.authorization === undefined ? noTokens : bearerTokensOf(request);
    this.#socket = request.socket;
  }

  get certificates() {
    return presentedCertificates(this.#socket);
  }

  get sentCertificates() {
    return sentCertificates(this.#socket);
  }
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
