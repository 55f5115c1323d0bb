import { hash, randomBytes, randomUUID } from 'node:crypto';

const shortAlphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-';
const lowerAlphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

function pick(alphabet: string, length: number): string {
  let id = '';
  while (id.length < length) {
    for (const byte of randomBytes(length)) {
      // Bytes beyond the last whole multiple would make some characters likelier than others.
      if (byte < 256 - (256 % alphabet.length) && id.length < length) id += alphabet[byte % alphabet.length];
    }
  }
  return id;
}

/** Id of an identity, authenticator, enrollment or request: 10 characters of `0-9 a-z A-Z . -`. */
export function shortId(): string {
  return pick(shortAlphabet, 10);
}

/** Id of an API session: 25 lower-case characters that begin with `c`. */
export function sessionId(): string {
  return `c${pick(lowerAlphabet, 24)}`;
}

/** A secret token: UUID version 4. */
export function secretToken(): string {
  return randomUUID();
}

/** What a token is looked up by: its SHA-256, base64url. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url');
}
