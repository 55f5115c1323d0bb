import { describe, expect, it } from 'vitest';
import { createJwtKey, signJwt } from '../../../test/support/jwt.ts';
import { verifyJwt } from './verify-jwt.ts';

/** Seconds. */
const now = 1_800_000_000;
const { privateKey, jwk } = createJwtKey('EdDSA', 'okp');
const claims = { sub: 'Ada', exp: now + 60 };
const header = { alg: 'EdDSA', kid: 'okp' };

/** `valid`, or the first check that failed. */
async function outcome(token: string): Promise<string> {
  const result = await verifyJwt({ token, keys: { keys: [jwk] }, at: now * 1000 });
  return result.valid ? 'valid' : result.failed;
}
const signed = (head: object, body: object = claims) =>
  signJwt({ key: privateKey, alg: 'EdDSA', header: head, claims: body });

describe('the form of a token', () => {
  const token = signed(header);
  const [head = '', payload = '', signature = ''] = token.split('.');

  it('is three segments of canonical base64url', async () => {
    expect(await outcome(token)).toBe('valid');
  });

  it.each([
    ['empty', ''],
    ['two segments', `${head}.${payload}`],
    ['four segments', `${token}.`],
    ['five segments, such as a JWE (CVE-2024-28176)', `${token}.${head}.${payload}`],
    ['no signature', `${head}.${payload}.`],
    ['no payload', `${head}..${signature}`],
    ['no header', `.${payload}.${signature}`],
    ['padding', `${token}==`],
    ['padding of the payload', `${head}.${payload}=.${signature}`],
    ['a space before', ` ${token}`],
    ['a newline behind', `${token}\n`],
    ['a newline inside', `${head}.${payload.slice(0, 4)}\n${payload.slice(4)}.${signature}`],
    ['a NUL character', `${token}\0`],
    ['unused bits that are set', withOtherUnusedBits(token)],
    ['the prefix of the Authorization header', `Bearer ${token}`],
    ['the other alphabet', token.replaceAll('_', '/').replaceAll('-', '+').replace(/[^.]$/, '/')],
    ['a full-width character', token.replace(/.$/, 'Ａ')],
    ['one character in the last segment', `${head}.${payload}.A`],
    ['JSON serialization', JSON.stringify({ protected: head, payload, signature })],
  ])('is refused: %s', async (_, text) => {
    expect(await outcome(text)).toBe('form');
  });

  it.each([undefined, null, 1, {}, [], Buffer.from(token)])('is text, not %j', async (value) => {
    expect(await outcome(value as never)).toBe('form');
  });

  it('is at most 16,384 characters long', async () => {
    const padded = (length: number) => signed(header, { ...claims, pad: 'x'.repeat(length) });
    const fixed = padded(0).length;
    const fitting = padded(Math.floor(((16_384 - fixed) * 3) / 4));
    expect([16_382, 16_383, 16_384]).toContain(fitting.length);
    expect(await outcome(fitting)).toBe('valid');
    expect(await outcome(padded(12_200))).toBe('form');
  });

  it.each(['.', 'A', 'A.', '{"a":', '[', '\ud800', 'eyJ'])('takes no time: 1 MiB of %j', async (part) => {
    const text = part.repeat(2 ** 20 / part.length);
    const start = performance.now();
    expect(await outcome(text)).toBe('form');
    expect(await outcome(`${head}.${text}.${signature}`)).toBe('form');
    // Ten times what a slow machine needs; with work for each character it would be far more.
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

/** The same bytes for a lenient decoder: 64 bytes leave four bits of the last character unused. */
function withOtherUnusedBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) + 1];
}
