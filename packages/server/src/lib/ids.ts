import { hash, randomBytes, randomUUID } from 'node:crypto';

const shortAlphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-';
const lowerAlphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

function pick(alphabet: string, length: number): string {
  let id = '';
  while (id.length < length) {
    for (const byte of randomBytes(length)) {
      // Larger bytes are skipped. Otherwise some characters would be more likely than others.
      if (byte < 256 - (256 % alphabet.length) && id.length < length) id += alphabet[byte % alphabet.length];
    }
  }
  return id;
}

/** Creates the id of an identity, authenticator, enrollment or request: 10 characters of `0-9 a-z A-Z . -`. */
export function shortId(): string {
  return pick(shortAlphabet, 10);
}

/** Creates the id of an API session: 25 lower-case characters, the first is `c`. */
export function sessionId(): string {
  return `c${pick(lowerAlphabet, 24)}`;
}

/** Creates a secret token: UUID version 4. */
export function secretToken(): string {
  return randomUUID();
}

/** Returns the SHA-256 of a token, base64url. Stores look up a token by this hash. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url');
}
