import type { JsonWebKey } from 'node:crypto';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KeyPair } from '../../../test/support/certificate-writer.ts';
import { pemOf, write } from '../../../test/support/certificate-writer.ts';
import { createJwtKey, rsaAlgorithms, signJwt } from '../../../test/support/jwt.ts';
import { keyRingOfCertificate, readKeyRing } from './key-ring.ts';
import { verifyJwt } from './verify-jwt.ts';

const pairOf = (type: 'rsa' | 'ec' | 'ed25519') =>
  type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-384' })
      : generateKeyPairSync('ed25519');
const jwkOf = ({ publicKey }: KeyPair) => publicKey.export({ format: 'jwk' });
const certificateOf = (keys: KeyPair) => write({ issuer: null, subject: 'idp', keys });
const rsaOf = (modulusLength: number, publicExponent = 65_537) =>
  jwkOf(generateKeyPairSync('rsa', { modulusLength, publicExponent }));

const pairs = { rsa: pairOf('rsa'), ec: pairOf('ec'), ed25519: pairOf('ed25519') };
const [rsa, ec, ed25519] = [jwkOf(pairs.rsa), jwkOf(pairs.ec), jwkOf(pairs.ed25519)];
const certificates = {
  rsa: certificateOf(pairs.rsa).der.toString('base64'),
  ec: certificateOf(pairs.ec).der.toString('base64'),
};
const { kid: _, ...other } = createJwtKey('EdDSA').jwk;
const { kty: _kty, ...otherRsa } = rsaOf(2048);
/** A key that must stay usable whatever else is in the set. */
const good = { ...other, kid: 'good' };

const ringOf = (...keys: unknown[]) => readKeyRing({ keys: [...keys, good] });
/** Why the key is skipped; `null` when it is usable. The others must be usable in any case. */
function reasonOf(jwk: JsonWebKey | Record<string, unknown>): string | null {
  const ring = ringOf({ kid: 'key', ...jwk });
  expect(ring.has('good')).toBe(true);
  expect(ring.has('key')).toBe(ring.problem('key') === null);
  return ring.problem('key');
}

describe('a key of a JWK set', () => {
  it.each<[string, Record<string, unknown>]>([
    ['RSA', rsa],
    ['P-384', ec],
    ['Ed25519', ed25519],
    ['for signatures', { ...ec, use: 'sig', key_ops: ['verify'] }],
    ['of SPIFFE', { ...ec, use: 'jwt-svid' }],
    ['with its algorithm', { ...rsa, alg: 'PS384' }],
    ['with a thumbprint', { ...rsa, x5t: 'x', 'x5t#S256': 'x', unknown: {} }],
    ['with its certificate', { ...rsa, x5c: [certificates.rsa] }],
    ['only as a certificate', { kty: 'RSA', x5c: [certificates.rsa, 'not read'] }],
    ['only as a certificate, without kty', { x5c: [certificates.rsa] }],
    ['only as a certificate, without kty, with the use', { x5c: [certificates.ec], use: 'sig', alg: 'ES384' }],
    ['without kty, with its certificate', { ...rsa, kty: undefined, x5c: [certificates.rsa] }],
    ['only as a certificate, with the curve', { kty: 'EC', crv: 'P-384', x5c: [certificates.ec] }],
  ])('is usable: %s', (__, jwk) => {
    expect(reasonOf(jwk)).toBeNull();
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['symmetric', { kty: 'oct', k: 'c2VjcmV0' }, /private or symmetric/],
    ['symmetric without k', { kty: 'oct' }, /kty/],
    ['private RSA', pairs.rsa.privateKey.export({ format: 'jwk' }), /private or symmetric/],
    ['private EC', pairs.ec.privateKey.export({ format: 'jwk' }), /private or symmetric/],
    ['with one private number', { ...rsa, qi: '' }, /private or symmetric/],
    ['of no kty', { ...rsa, kty: undefined }, /kty/],
    ['of kty null, with a certificate', { kty: null, x5c: [certificates.rsa] }, /kty/],
    ['of no kty, with the certificate of another key', { ...otherRsa, x5c: [certificates.rsa] }, /another key in x5c/],
    ['of no kty, with a broken certificate', { x5c: ['AAAA'] }, /no public key/],
    ['of the kty of a prototype', { ...rsa, kty: 'toString' }, /kty/],
    ['of a kty in another case', { ...rsa, kty: 'rsa' }, /kty/],
    ['for encryption', { ...rsa, use: 'enc' }, /use/],
    ['with use null', { ...rsa, use: null }, /use/],
    ['for other operations', { ...rsa, key_ops: ['encrypt'] }, /key_ops/],
    ['for no operations', { ...rsa, key_ops: [] }, /key_ops/],
    ['with operations as text', { ...rsa, key_ops: 'verify' }, /key_ops/],
    ['with an algorithm of another key', { ...rsa, alg: 'ES384' }, /alg/],
    ['with a symmetric algorithm', { ...rsa, alg: 'HS256' }, /alg/],
    ['with an algorithm of encryption', { ...rsa, alg: 'RSA-OAEP' }, /alg/],
    ['with the algorithm of another curve', { ...ec, alg: 'ES256' }, /alg/],
    ['with alg null', { ...ec, alg: null }, /alg/],
    ['RSA with 1,024 bits', rsaOf(1024), /1024 bits/],
    ['RSA with e = 3', rsaOf(2048, 3), /exponent/],
    ['RSA with e = 1', { ...rsa, e: 'AQ' }, /./],
    ['RSA with an even e', { ...rsa, e: 'AQAC' }, /./],
    ['RSA with a huge e', { ...rsa, e: rsa.n }, /./],
    ['RSA with an even modulus', { ...rsa, n: `${rsa.n!.slice(0, -2)}AA` }, /./],
    ['RSA without e', { ...rsa, e: undefined }, /e is not in base64url/],
    ['RSA without n, with a certificate', { ...rsa, n: undefined, x5c: [certificates.rsa] }, /n is not in base64url/],
    ['RSA with padding', { ...rsa, n: `${rsa.n}==` }, /n is not in base64url/],
    ['RSA with a number', { ...rsa, e: 65_537 }, /e is not in base64url/],
    ['a point off the curve', { ...ec, y: ec.x }, /no public key/],
    ['a point with a short coordinate', { ...ec, x: ec.x!.slice(0, -4) }, /bytes/],
    ['a point with a long coordinate', { ...ec, x: `AAAA${ec.x}` }, /bytes/],
    ['a point of another curve', { ...ec, crv: 'P-256' }, /bytes/],
    ['secp256k1', jwkOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })), /crv/],
    ['EC without crv', { ...ec, crv: undefined }, /crv/],
    ['Ed448', jwkOf(generateKeyPairSync('ed448')), /crv/],
    ['X25519', jwkOf(generateKeyPairSync('x25519')), /crv/],
    ['Ed25519 with 31 bytes', { ...ed25519, x: ed25519.x!.slice(0, -2) }, /x/],
    ['OKP with the numbers of a curve', { ...ec, kty: 'OKP' }, /./],
    ['with the certificate of another key', { ...rsa, x5c: [certificates.ec] }, /another key in x5c/],
    ['as a certificate of another kty', { kty: 'EC', crv: 'P-384', x5c: [certificates.rsa] }, /another kty/],
    ['as a certificate of another crv', { kty: 'EC', crv: 'P-256', x5c: [certificates.ec] }, /crv/],
    ['of x5c in base64url', { kty: 'RSA', x5c: [certificates.rsa.replaceAll('+', '-').replaceAll('=', '')] }, /x5c/],
    ['of no certificate', { kty: 'RSA', x5c: ['AAAA'] }, /no public key/],
    ['of an empty x5c', { kty: 'RSA', x5c: [] }, /x5c/],
    ['of x5c as text', { ...rsa, x5c: certificates.rsa }, /x5c/],
  ])('is skipped, and hides no other: %s', (__, jwk, reason) => {
    expect(reasonOf(jwk)).toMatch(reason);
  });

  it.each([null, 1, 'key', [], [rsa]])('is skipped when it is %j', (jwk) => {
    expect(ringOf(jwk).has('good')).toBe(true);
  });

  it.each([undefined, '', 'k'.repeat(257), 1, null, ['key']])('is skipped when its kid is %j', (kid) => {
    const ring = ringOf({ ...rsa, kid });
    expect(ring.has('good')).toBe(true);
    for (const asked of [kid, String(kid), 'null', '']) expect(ring.has(asked as string)).toBe(false);
  });

  it.each(['__proto__', 'constructor', 'toString', '../../etc/passwd', "' OR 1=1 --", 'k'.repeat(256)])(
    'may have the kid %j, which is only a name',
    async (kid) => {
      const { privateKey, jwk } = createJwtKey('ES256', kid);
      const options = { key: privateKey, alg: 'ES256', claims: { exp: 10 } };
      const token = signJwt({ ...options, header: { alg: 'ES256', kid } });
      expect(await verifyJwt({ token, keys: { keys: [jwk] }, at: 0 })).toMatchObject({ valid: true });
      expect(await verifyJwt({ token, keys: { keys: [good] }, at: 0 })).toMatchObject({ failed: 'key' });
    },
  );
});

describe('keys with the same kid', () => {
  it('count as one when they are the same key', () => {
    const ring = ringOf({ ...rsa, kid: 'key' }, { ...rsa, kid: 'key', use: 'sig', x5c: [certificates.rsa] });
    expect(ring.get('key')).toHaveLength(1);
    expect(ring.problem('key')).toBeNull();
  });

  it('have the algorithms of all copies', () => {
    const copies = ['RS256', 'PS256'].map((alg) => ({ ...rsa, kid: 'key', alg }));
    expect(ringOf(...copies).get('key')[0]?.algorithms).toEqual(['RS256', 'PS256']);
  });

  const algorithmsOf = (...keys: object[]) =>
    ringOf(...keys.map((jwk) => ({ ...jwk, kid: 'key' })))
      .get('key')
      .map(({ algorithms }) => algorithms);

  it('all count when they are of different types, in any order', () => {
    expect(algorithmsOf(rsa, ec, ed25519)).toEqual([rsaAlgorithms, ['ES384'], ['EdDSA', 'Ed25519']]);
    expect(algorithmsOf(ed25519, rsa, ec, rsa)).toEqual([['EdDSA', 'Ed25519'], rsaAlgorithms, ['ES384']]);
  });

  it('all count when their algorithms say which one a JWT needs', () => {
    const [a, b] = [rsaOf(2048), rsaOf(2048)];
    expect(algorithmsOf({ ...a, alg: 'RS256' }, { ...b, alg: 'PS256' })).toEqual([['RS256'], ['PS256']]);
    expect(algorithmsOf({ ...a, alg: 'RS256' }, b)).toEqual([rsaAlgorithms.filter((alg) => alg !== 'RS256')]);
  });

  it('are skipped when a JWT could need either, in any order', () => {
    const [a, b] = [rsaOf(2048), rsaOf(2048)];
    for (const keys of [
      [a, b],
      [b, a, a],
      [a, b, ec],
    ]) {
      expect(algorithmsOf(...keys)).toEqual(keys.includes(ec) ? [['ES384']] : []);
    }
    const ring = ringOf({ ...a, kid: 'key' }, { ...b, kid: 'key' });
    expect([ring.has('key'), ring.problem('key')]).toEqual([false, 'another key has the same kid']);
  });

  it('do not count when they are unusable', () => {
    expect(algorithmsOf(rsa, { ...ec, use: 'enc' }, { kty: 'oct', k: 'AAAA' })).toEqual([rsaAlgorithms]);
  });

  it('are limited in number, because each is imported', () => {
    expect(algorithmsOf(...Array.from({ length: 16 }, () => rsa))).toHaveLength(1);
    const ring = ringOf(...Array.from({ length: 17 }, () => ({ ...rsa, kid: 'key' })));
    expect(ring.problem('key')).toBe('more than 16 keys have the same kid');
  });
});

describe('a JWK set', () => {
  it('may have many keys, and unknown members', () => {
    const keys = Array.from({ length: 10_000 }, (__, index) => ({ ...ed25519, kid: `${index}` }));
    expect(readKeyRing({ keys, more: 1 }).has('9999')).toBe(true);
  });

  it('may be empty', () => {
    expect(readKeyRing({ keys: [] }).has('key')).toBe(false);
  });

  it.each([null, undefined, 1, 'keys', [], [good], {}, { keys: null }, { keys: good }, { keys: 'keys' }])(
    'is not %j',
    async (set) => {
      expect(() => readKeyRing(set)).toThrow('no JWK set');
      const token = signJwt({ key: pairs.ed25519.privateKey, alg: 'EdDSA', claims: { exp: 10 } });
      expect(await verifyJwt({ token, keys: set as never, at: 0 })).toMatchObject({ failed: 'key' });
    },
  );
});

describe('the certificate of a signer', () => {
  it.each([
    ['rsa', 'RS256'],
    ['rsa', 'PS512'],
    ['ec', 'ES384'],
    ['ed25519', 'EdDSA'],
  ] as const)('with a key of type %s verifies %s', async (type, alg) => {
    const keys = keyRingOfCertificate(pemOf(certificateOf(pairs[type])), 'mine');
    const token = (kid: string) =>
      signJwt({ key: pairs[type].privateKey, alg, header: { alg, kid }, claims: { exp: 10 } });
    expect(await verifyJwt({ token: token('mine'), keys, at: 0 })).toMatchObject({ valid: true });
    expect(await verifyJwt({ token: token('other'), keys, at: 0 })).toMatchObject({ failed: 'key' });
  });

  it.each<[string, string]>([
    ['no PEM', 'certificate'],
    ['no certificate', pemOf({ der: Buffer.from('3000', 'hex') })],
    ['weak', pemOf(certificateOf(generateKeyPairSync('rsa', { modulusLength: 1024 })))],
    ['of another curve', pemOf(certificateOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })))],
    ['for RSA-PSS alone', pemOf({ der: write({ issuer: null, subject: 'idp', spki: pssKey() }).der })],
  ])('is refused: %s', (__, pem) => {
    expect(() => keyRingOfCertificate(pem, 'key')).toThrow(expect.objectContaining({ name: 'UnusableKeySet' }));
  });
});

function pssKey(): Buffer {
  const { publicKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
  return publicKey.export({ type: 'spki', format: 'der' });
}
