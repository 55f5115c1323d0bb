import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-error.ts';

/** Longer tokens are invalid without a look into the store. */
const maxTokenLength = 128;

export interface SessionHeader {
  /** The token that the request carries, or `null`. Of repeated headers the first counts; an empty one counts as none. */
  read(request: IncomingMessage): string | null;
  isPlausible(token: string): boolean;
  /** 401 for a request without credentials. */
  missing(): ApiError;
  /** 401 for a token without a live session. */
  invalid(): ApiError;
}

/** `names` in lower case, in the order in which they count. The first is the one that clients are told. */
export function createSessionHeader(names: readonly string[]): SessionHeader {
  const scheme = names[0] ?? '';
  const session = (error: string, description: string) =>
    `${scheme} realm="${scheme}" error="${error}" error_description="${description}"`;
  const noToken = 'no matching token was provided';
  const missing = `${session('missing', noToken)},Bearer realm="openziti-oidc" error="missing" error_description="${noToken}"`;
  const invalid = session('invalid', 'token is invalid');
  return {
    read(request) {
      for (const name of names) {
        const value = request.headers[name];
        // Node joins repeated headers with a comma.
        const token = typeof value === 'string' && value.includes(',') ? firstOf(request.rawHeaders, name) : value;
        if (typeof token === 'string' && token !== '') return token;
      }
      return null;
    },
    isPlausible: (token) => token.length <= maxTokenLength,
    missing: () =>
      new ApiError('UNAUTHORIZED', {
        cause: { code: 'UNHANDLED', message: 'unauthenticated for invalid credentials' },
        headers: { 'WWW-Authenticate': missing },
      }),
    invalid: () => new ApiError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': invalid } }),
  };
}

function firstOf(rawHeaders: readonly string[], name: string): string | undefined {
  const index = rawHeaders.findIndex((text, position) => position % 2 === 0 && text.toLowerCase() === name);
  return index < 0 ? undefined : rawHeaders[index + 1];
}
