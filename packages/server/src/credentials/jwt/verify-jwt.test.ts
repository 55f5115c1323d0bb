import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createJwtKey, jwtAlgorithms, rsaAlgorithms, signJwt } from '../../../test/support/jwt.ts';
import { jwtChecks } from './broken-check.ts';
import { readKeyRing } from './key-ring.ts';
import type { ParsedJwt } from './parse-jwt.ts';
import { parseJwt } from './parse-jwt.ts';
import type { JwtOptions } from './verify-jwt.ts';
import { verifyJwt } from './verify-jwt.ts';

/** Seconds. */
const now = 1_800_000_000;
const rsa = createJwtKey('RS256');
const keys = new Map(jwtAlgorithms.map((alg) => [alg, rsaAlgorithms.includes(alg) ? rsa : createJwtKey(alg)]));
const ed25519 = keys.get('EdDSA')!;
const claims = { iss: 'https://idp.example', sub: 'Ada', exp: now + 60 };
const set = { keys: [ed25519.jwk] };

const signed = (body: object | string | Buffer) => signJwt({ key: ed25519.privateKey, alg: 'EdDSA', claims: body });
const verified = (token: string, options: Partial<JwtOptions> = {}) =>
  verifyJwt({ token, keys: set, at: now * 1000, ...options });
const failedOf = async (token: string, options: Partial<JwtOptions> = {}) => {
  const result = await verified(token, options);
  return result.valid ? null : result.failed;
};

describe.each(jwtAlgorithms)('a JWT signed with %s', (alg) => {
  const { privateKey, jwk } = keys.get(alg)!;
  const key = { keys: [jwk] };

  it('is valid when node:crypto signed it', async () => {
    const token = signJwt({ key: privateKey, alg, claims });
    const checks = jwtChecks.map((check) => ({ check, passed: true }));
    const header = { alg, kid: 'key' };
    expect(await verified(token, { keys: key })).toEqual({ valid: true, header, claims, checks });
    expect(await failedOf(token, { keys: { keys: [{ ...jwk, alg, use: 'sig', key_ops: ['verify'] }] } })).toBeNull();
  });

  it('is valid when jose signed it', async () => {
    const token = await new SignJWT(claims).setProtectedHeader({ alg, kid: 'key', typ: 'JWT' }).sign(privateKey);
    expect(await verified(token, { keys: readKeyRing(key) })).toMatchObject({ valid: true, claims });
  });

  it('is refused with another key, another payload or a part of its signature', async () => {
    const token = signJwt({ key: privateKey, alg, claims });
    const { jwk: other } = createJwtKey(alg);
    expect(await failedOf(token, { keys: { keys: [other] } })).toBe('signature');
    const [header, , signature] = token.split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'Bob' })).toString('base64url');
    expect(await failedOf(`${header}.${payload}.${signature}`, { keys: key })).toBe('signature');
    const shorter = Buffer.from(signature!, 'base64url').subarray(1).toString('base64url');
    expect(await failedOf(`${header}.${payload}.${shorter}`, { keys: key })).toBe('signature');
  });

  it('is refused when the JWK names another algorithm', async () => {
    const token = signJwt({ key: privateKey, alg, claims });
    for (const other of jwtAlgorithms.filter((name) => name !== alg)) {
      const failed = await failedOf(token, { keys: { keys: [{ ...jwk, alg: other }] } });
      expect(failed).toMatch(/^(key|algorithm)$/);
    }
  });

  it('is refused when its header names another algorithm', async () => {
    const strange = ['none', 'HS256', alg.toLowerCase(), `${alg} `, 'toString', ''];
    for (const other of [...jwtAlgorithms, ...strange]) {
      const token = signJwt({ key: privateKey, alg, header: { alg: other, kid: 'key' }, claims });
      const same = other === alg || (alg.startsWith('Ed') && ['EdDSA', 'Ed25519'].includes(other));
      const expected = rsaAlgorithms.includes(alg) && rsaAlgorithms.includes(other) ? 'signature' : 'algorithm';
      expect([other, await failedOf(token, { keys: key })]).toEqual([other, same ? null : expected]);
    }
  });
});

describe('the times of a JWT', () => {
  it.each([
    ['exp at the end of the tolerance', { exp: now - 30 }, 'expiry'],
    ['exp within the tolerance', { exp: now - 29 }, null],
    ['exp with a part of a second', { exp: now - 29.999 }, null],
    ['nbf beyond the tolerance', { nbf: now + 31 }, 'notBefore'],
    ['nbf within the tolerance', { nbf: now + 30 }, null],
    ['nbf a millisecond beyond the tolerance', { nbf: now + 30.001 }, 'notBefore'],
    ['iat beyond the tolerance', { iat: now + 31 }, 'issuedAt'],
    ['iat within the tolerance', { iat: now + 30 }, null],
    ['iat a millisecond beyond the tolerance', { iat: now + 30.001 }, 'issuedAt'],
    ['iat long ago', { iat: 0 }, null],
    ['no exp', { exp: undefined }, 'claims'],
    ['exp null', { exp: null }, 'claims'],
    ['exp as text', { exp: `${now + 60}` }, 'claims'],
    ['exp in a list', { exp: [now + 60] }, 'claims'],
    ['exp below 0', { exp: -1 }, 'claims'],
    ['nbf null', { nbf: null }, 'claims'],
    ['nbf as text', { nbf: '0' }, 'claims'],
    ['iat as text', { iat: '0' }, 'claims'],
    ['iat true', { iat: true }, 'claims'],
    ['exp in a far future', { exp: 1e300 }, null],
  ])('%s', async (_, change, expected) => {
    expect(await failedOf(signed({ ...claims, ...change }))).toBe(expected);
  });

  it('exp without an end is no number', async () => {
    expect(await failedOf(signed('{"exp":1e999}'))).toBe('claims');
  });

  it.each([
    [0, { exp: now + 1 }, null],
    [0, { exp: now }, 'expiry'],
    [0, { nbf: now }, null],
    [0, { nbf: now + 1 }, 'notBefore'],
    [300_000, { exp: now - 299 }, null],
    [300_000, { exp: now - 300 }, 'expiry'],
    [undefined, { exp: now - 30 }, 'expiry'],
    [Number.NaN, {}, 'expiry'],
  ])('with a tolerance of %s ms: %j', async (tolerance, change, expected) => {
    expect(await failedOf(signed({ ...claims, ...change }), { tolerance } as Partial<JwtOptions>)).toBe(expected);
  });

  it('a moment that is no number passes nothing', async () => {
    expect(await failedOf(signed(claims), { at: Number.NaN })).toBe('expiry');
  });

  it('a maximum lifetime refuses what expires later', async () => {
    const options = { maxLifetime: 60_000, tolerance: 0 };
    expect(await failedOf(signed({ exp: now + 60 }), options)).toBeNull();
    expect(await failedOf(signed({ exp: now + 60.001 }), options)).toBe('lifetime');
    expect(await failedOf(signed({ exp: 1e300 }), options)).toBe('lifetime');
  });
});

describe('what an administrator is shown', () => {
  it('the checks up to the first that failed, with what was expected and received', async () => {
    const result = await verified(signed({ ...claims, exp: now - 60 }));
    const passed = ['form', 'header', 'key', 'algorithm', 'signature', 'claims'];
    const at = (seconds: number) => new Date(seconds * 1000).toISOString();
    expect(result).toEqual({
      valid: false,
      failed: 'expiry',
      checks: [
        ...passed.map((check) => ({ check, passed: true })),
        { check: 'expiry', passed: false, expected: `exp after ${at(now - 30)}`, received: at(now - 60) },
      ],
    });
  });

  it('why the key is not usable', async () => {
    const receivedWith = async (jwk: object) => {
      const result = await verified(signed(claims), { keys: { keys: [jwk] } });
      return result.checks.at(-1)?.received;
    };
    expect(await receivedWith({ ...ed25519.jwk, use: 'enc' })).toBe('use is neither sig nor jwt-svid: kid "key"');
    expect(await receivedWith({ ...ed25519.jwk, kid: 'other' })).toBe('not in the set: kid "key"');
  });

  it('never more than 256 characters, nor the token or its signature', async () => {
    const long = 'é'.repeat(250);
    const { privateKey } = ed25519;
    const headers = [
      { alg: long, kid: 'key' },
      { alg: 'EdDSA', kid: long },
      { alg: 'EdDSA', kid: '💥'.repeat(200) },
    ];
    const tokens = [
      ...headers.map((header) => signJwt({ key: privateKey, alg: 'EdDSA', header, claims })),
      signed({ ...claims, exp: long }),
      signed({ ...claims, nbf: { deep: [long] } }),
      signed({ exp: 0 }),
      `${signed(claims).slice(0, -6)}AAAAAA`.replace(/.$/, 'A'),
      `${signed(claims)}=`,
    ];
    for (const token of tokens) {
      const result = await verified(token);
      if (result.valid) throw new Error('accepted');
      const { expected = '', received = '' } = result.checks.at(-1)!;
      expect(Math.max(expected.length, received.length)).toBeLessThanOrEqual(256);
      expect(received.isWellFormed()).toBe(true);
      for (const segment of token.split('.')) expect(JSON.stringify(result)).not.toContain(segment);
    }
  });
});

describe('a parsed JWT', () => {
  const parsed = (token: string) => parseJwt(token) as ParsedJwt;

  it('says who claims to have issued it, before anything is proven', () => {
    expect(parsed(signed(claims)).claimedIssuer).toBe('https://idp.example');
    for (const iss of [undefined, null, 1, ['https://idp.example']]) {
      expect(parsed(signed({ ...claims, iss })).claimedIssuer).toBeNull();
    }
    expect(parsed(signed('"https://idp.example"')).claimedIssuer).toBeNull();
  });

  it('is verified like its token', async () => {
    const token = signed(claims);
    expect(await verifyJwt({ token: parsed(token), keys: set, at: now * 1000 })).toEqual(await verified(token));
    const forged = parsed(`${token.slice(0, -6)}AAAAAA`.replace(/.$/, 'A'));
    expect(await verifyJwt({ token: forged, keys: set, at: now * 1000 })).toMatchObject({ failed: 'signature' });
  });
});
