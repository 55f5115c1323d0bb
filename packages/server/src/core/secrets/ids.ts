import { hash, randomUUID } from 'node:crypto';
import { takeRandom } from './random-bytes.ts';

const shortAlphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-';
const base62Alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const lowerAlphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

function pick(alphabet: string, length: number): string {
  let id = '';
  while (id.length < length) {
    for (const byte of takeRandom(length)) {
      // Larger bytes are skipped. Otherwise some characters would be more likely than others.
      if (byte < 256 - (256 % alphabet.length) && id.length < length) id += alphabet[byte % alphabet.length];
    }
  }
  return id;
}

/**
 * Creates the id of an identity, a request, or what comes with an identity: 10 characters of `0-9 a-z A-Z . -`. The first is a letter
 * or a digit: a command line takes a word that begins with `-` for an option.
 */
export function shortId(): string {
  return pick(base62Alphabet, 1) + pick(shortAlphabet, 9);
}

/** Creates the id of any other entity: 128 random bits in base 62, 22 characters of `0-9 a-z A-Z`. */
export function base62Id(): string {
  let rest = BigInt(`0x${takeRandom(16).toString('hex')}`);
  let id = '';
  for (; rest > 0n; rest /= 62n) id = base62Alphabet.charAt(Number(rest % 62n)) + id;
  return id.padStart(22, '0');
}

/** Characters of the id of an API session. */
export const sessionIdLength = 25;

const timeLength = 9;

/**
 * Creates the id of an API session: 25 lower-case characters. `c`, the time in milliseconds since 1970 in base 36, random ones.
 * Edge routers take a greater id for that of a newer session.
 */
export function sessionId(now: number): string {
  const time = now.toString(36).padStart(timeLength, '0').slice(-timeLength);
  return `c${time}${sessionIdPart(sessionIdLength - 1 - timeLength)}`;
}

/** Random characters of the kind that ids of sessions have. */
export function sessionIdPart(length: number): string {
  return pick(lowerAlphabet, length);
}

/** Creates a secret token: UUID version 4. */
export function secretToken(): string {
  return randomUUID();
}

/** Returns the SHA-256 of a token, base64url. Stores look up a token by this hash. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url');
}
