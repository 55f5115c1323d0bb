import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../call.ts';
import { presentedCertificates } from './client-certificates.ts';

const bearerPrefix = 'Bearer ';
const maxBearerTokens = 3;
const none: readonly string[] = [];

/** `names`: the session headers in lower case, in the order in which they count. Of repeated headers the first counts. */
export function readCredentials(request: IncomingMessage, names: readonly string[]): Credentials {
  return {
    sessionToken: sessionTokenOf(request, names),
    bearerTokens: request.headers.authorization === undefined ? none : bearerTokensOf(request),
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
