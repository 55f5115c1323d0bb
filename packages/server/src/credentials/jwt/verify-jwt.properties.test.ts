import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJwtKey, signJwt } from '../../../test/support/jwt.ts';
import { parseJwt } from './parse-jwt.ts';
import { verifyJwt } from './verify-jwt.ts';

const claims = { iss: 'https://idp.example', sub: 'Ada', exp: 2_000_000_000 };
const at = 1_800_000_000_000;
const algorithms = ['RS256', 'PS256', 'ES256', 'ES512', 'EdDSA'];
const signers = algorithms.map((alg) => ({ alg, ...createJwtKey(alg, alg) }));
const keys = { keys: signers.map(({ jwk }) => jwk) };
const tokens = signers.map(({ alg, privateKey: key }) => signJwt({ key, alg, header: { alg, kid: alg }, claims }));
const isValid = async (token: string) => (await verifyJwt({ token, keys, at })).valid;

const characters = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\0');
const change = fc.record({
  kind: fc.constantFrom('replace', 'insert', 'delete', 'swap', 'cut'),
  where: fc.double({ min: 0, max: 1, noNaN: true }),
  character: characters,
});

function changed(token: string, { kind, where, character }: { kind: string; where: number; character: string }) {
  const place = Math.min(Math.floor(where * token.length), token.length - 1);
  const [before, after] = [token.slice(0, place), token.slice(place + 1)];
  if (kind === 'replace') return before + character + after;
  if (kind === 'insert') return before + character + token[place] + after;
  if (kind === 'swap') return before + after.slice(0, 1) + token[place] + after.slice(1);
  return kind === 'delete' ? before + after : before;
}

describe('verifyJwt', () => {
  it('accepts no token that was changed', async () => {
    expect(await Promise.all(tokens.map((token) => isValid(token)))).toEqual(tokens.map(() => true));
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tokens), changes, async (token, list) => {
        const other = list.reduce(changed, token);
        fc.pre(other !== token);
        expect(await isValid(other)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever the token and the keys are', async () => {
    const [, payload, signature] = tokens[2]!.split('.');
    const header = fc.json().map((text) => `${Buffer.from(text).toString('base64url')}.${payload}.${signature}`);
    const anyToken = fc.oneof(fc.string(), fc.anything(), header, fc.constantFrom(...tokens));
    const jwk = fc.record(
      {
        kty: fc.constantFrom('RSA', 'EC', 'OKP', 'oct', 'AKP'),
        kid: fc.constantFrom(...algorithms),
        crv: fc.constantFrom('P-256', 'P-521', 'Ed25519', 'Ed448', ''),
        n: fc.base64String(),
        e: fc.constantFrom('AQAB', 'AQ', 'Aw', ''),
        x: fc.oneof(fc.anything(), fc.uint8Array({ minLength: 32, maxLength: 32 }).map(base64urlOf)),
        y: fc.oneof(fc.anything(), fc.uint8Array({ minLength: 32, maxLength: 32 }).map(base64urlOf)),
        x5c: fc.anything(),
        use: fc.anything(),
        key_ops: fc.anything(),
        alg: fc.constantFrom(...algorithms),
      },
      { requiredKeys: [] },
    );
    const anyKeys = fc.oneof(fc.anything(), fc.record({ keys: fc.array(fc.oneof(fc.anything(), jwk)) }));
    await fc.assert(
      fc.asyncProperty(anyToken, anyKeys, async (token, set) => {
        const result = await verifyJwt({ token: token as string, keys: set as typeof keys, at });
        expect(result.valid).toBe(false);
        parseJwt(token);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts no header that makes the key of an attacker count', async () => {
    const attackers = algorithms.map((alg) => ({ alg, ...createJwtKey(alg, alg) }));
    const parameter = fc.constantFrom(
      'jwk',
      'jku',
      'x5c',
      'x5u',
      'x5t',
      'crit',
      'b64',
      'typ',
      'kid',
      'alg',
      'zip',
      'cty',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...attackers),
        fc.array(fc.tuple(parameter, fc.oneof(fc.constantFrom<unknown>(...algorithms, 'JWT'), fc.jsonValue()))),
        async ({ alg, privateKey, jwk }, parameters) => {
          const header = { alg, kid: alg, jwk, ...Object.fromEntries(parameters) };
          expect(await isValid(signJwt({ key: privateKey, alg, header, claims }))).toBe(false);
          const { jwk: _, ...bare } = header;
          expect(await isValid(signJwt({ key: privateKey, alg, header: bare, claims }))).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });
});

function base64urlOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
