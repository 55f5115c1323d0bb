import { constants, createHmac, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { base64url, createJwtKey, signatureOf, signJwt } from '../../../test/support/jwt.ts';
import { readKeyRing } from './key-ring.ts';
import { verifyJwt } from './verify-jwt.ts';

/** Seconds. */
const now = 1_800_000_000;
const keys = {
  rsa: createJwtKey('RS256', 'rsa'),
  ec: createJwtKey('ES256', 'ec'),
  okp: createJwtKey('EdDSA', 'okp'),
};
const set = { keys: Object.values(keys).map(({ jwk }) => jwk) };
const claims = { sub: 'Ada', exp: now + 60 };
const header = { alg: 'EdDSA', kid: 'okp' };

/** `valid`, or the first check that failed. */
async function outcome(token: string, jwkSet: { readonly keys: readonly unknown[] } = set): Promise<string> {
  const result = await verifyJwt({ token, keys: jwkSet, at: now * 1000 });
  return result.valid ? 'valid' : result.failed;
}
const signed = (head: object | string, body: object | string | Buffer = claims) =>
  signJwt({ key: keys.okp.privateKey, alg: 'EdDSA', header: head, claims: body });
const withSignature = (input: string, signature: Buffer) => `${input}.${base64url(signature)}`;
const inputOf = (head: object) => `${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(claims))}`;

describe('the algorithm is never taken from the token', () => {
  it.each([
    ['PEM', keys.rsa.privateKey && pem('rsa')],
    ['PEM without the last newline', pem('rsa').trimEnd()],
    ['DER', keyObject('rsa').export({ type: 'spki', format: 'der' })],
    ['JWK', JSON.stringify(keys.rsa.jwk)],
    ['modulus', Buffer.from(keys.rsa.jwk.n!, 'base64url')],
    ['nothing', ''],
  ])('HMAC with the %s of the RSA key (CVE-2026-34950, CVE-2023-48223)', async (_, secret) => {
    for (const size of [256, 384, 512]) {
      const input = inputOf({ alg: `HS${size}`, kid: 'rsa' });
      const token = withSignature(input, createHmac(`sha${size}`, secret).update(input).digest());
      expect(await outcome(token)).toBe('algorithm');
    }
  });

  it('HMAC with a symmetric key of the set (CVE-2026-22817)', async () => {
    const secret = Buffer.alloc(32, 7);
    const jwk = { kty: 'oct', k: secret.toString('base64url'), kid: 'oct', alg: 'HS256', use: 'sig' };
    const input = inputOf({ alg: 'HS256', kid: 'oct' });
    const token = withSignature(input, createHmac('sha256', secret).update(input).digest());
    expect(await outcome(token, { keys: [jwk] })).toBe('key');
  });

  it('none, in any case and with any signature', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
      const input = inputOf({ alg, kid: 'rsa' });
      expect(await outcome(`${input}.`)).toBe('form');
      expect(await outcome(`${input}.AA`)).toBe('algorithm');
    }
  });

  it('an unknown kid ends it before any signature is checked (CVE-2026-44351)', async () => {
    for (const kid of ['none', 'OKP', 'okp ', '__proto__', 'constructor', 'toString']) {
      expect(await outcome(signed({ ...header, kid }))).toBe('key');
    }
    expect(await outcome(signed(header), { keys: [] })).toBe('key');
  });

  it('a key with e = 1, with which anybody signs', async () => {
    const input = inputOf({ alg: 'RS256', kid: 'rsa' });
    const token = withSignature(input, signatureOf('RS256', keys.rsa.privateKey, Buffer.from(input)));
    expect(await outcome(token)).toBe('valid');
    expect(await outcome(token, { keys: [{ ...keys.rsa.jwk, e: 'AQ' }] })).toBe('key');
  });
});

describe('a header', () => {
  it.each([
    { typ: 'JWT' },
    { typ: 'jwt' },
    { typ: 'at+jwt' },
    { typ: 'AT+JWT' },
    { typ: 'application/at+jwt' },
    { typ: 'JOSE' },
    { typ: 'application/jose' },
    { cty: 'json' },
    { jku: 'https://idp.example/keys' },
    { x5u: 'https://idp.example/certificate' },
    { x5t: 'AAAA', 'x5t#S256': 'AAAA' },
    { unknown: { deep: [1] } },
    { kid: 'okp' },
  ])('is accepted with %j', async (parameters) => {
    expect(await outcome(signed({ ...header, ...parameters }))).toBe('valid');
  });

  it.each([
    { crit: ['exp'] },
    { crit: [] },
    { crit: null },
    { crit: ['b64'], b64: true },
    { b64: false },
    { b64: true },
    { jwk: createJwtKey('EdDSA').jwk },
    { jwk: null },
    { x5c: ['AAAA'] },
    { zip: 'DEF' },
    { enc: 'A256GCM' },
    { typ: 'dpop+jwt' },
    { typ: 'JWT ' },
    { typ: '' },
    { typ: null },
    { typ: ['JWT'] },
    { alg: undefined },
    { alg: null },
    { alg: ['EdDSA'] },
    { kid: undefined },
    { kid: null },
    { kid: '' },
    { kid: 1 },
    { kid: ['okp'] },
    { kid: 'k'.repeat(257) },
  ])('is refused with %j', async (parameters) => {
    expect(await outcome(signed({ ...header, ...parameters }))).toBe('header');
  });

  it('with the key of an attacker is refused, signed with that key', async () => {
    const attacker = createJwtKey('EdDSA', 'okp');
    const forge = (parameters: object) =>
      signJwt({ key: attacker.privateKey, alg: 'EdDSA', header: { ...header, ...parameters }, claims });
    expect(await outcome(forge({ jwk: attacker.jwk }))).toBe('header');
    expect(await outcome(forge({}))).toBe('signature');
  });

  it.each([
    ['alg twice', '{"alg":"none","kid":"okp","alg":"EdDSA"}'],
    ['kid twice', '{"kid":"okp","alg":"EdDSA","kid":"okp"}'],
    ['kid twice, once escaped', '{"\\u006bid":"other","alg":"EdDSA","kid":"okp"}'],
    ['a member twice below', '{"alg":"EdDSA","kid":"okp","a":[{"b":1,"b":1}]}'],
    ['a member of a prototype', '{"alg":"EdDSA","kid":"okp","__proto__":{}}'],
    ['an array', '[{"alg":"EdDSA","kid":"okp"}]'],
    ['null', 'null'],
    ['text', '"EdDSA"'],
    ['no JSON', '{"alg":"EdDSA","kid":"okp",}'],
    ['a comment', '{"alg":"EdDSA",/**/"kid":"okp"}'],
    ['something behind it', '{"alg":"EdDSA","kid":"okp"}{}'],
    ['a byte order mark', '\uFEFF{"alg":"EdDSA","kid":"okp"}'],
    ['40 levels', `{"alg":"EdDSA","kid":"okp","a":${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('is refused: %s', async (_, text) => {
    expect(await outcome(signed(text))).toBe('header');
  });

  it('may have members of the same name in different objects, and colons and quotes in texts', async () => {
    const text = '{"alg":"EdDSA", "kid" : "okp","a":{"a":":\\":","b":{"a":"\\\\"}},"c":[{"a":1},{"a":"{\\"a\\":1}"}]}';
    expect(await outcome(signed(text))).toBe('valid');
  });
});

describe('claims', () => {
  it.each<[string, string | Buffer]>([
    ['a member twice', '{"exp":1,"exp":1800000060}'],
    ['a member twice, once escaped', '{"\\u0065xp":1,"exp":1800000060}'],
    ['a member twice below', '{"exp":1800000060,"realm":{"id":1,"id":2}}'],
    ['a member of a prototype', '{"exp":1800000060,"constructor":{}}'],
    ['an array', '[1800000060]'],
    ['text', '"Ada"'],
    ['null', 'null'],
    ['another JWT', signed(header)],
    ['no JSON', '{exp:1800000060}'],
    ['a byte order mark', '\uFEFF{"exp":1800000060}'],
    ['bytes that are not UTF-8', Buffer.from('{"exp":1800000060,"sub":"\xff"}', 'latin1')],
    ['UTF-8 that is too long', Buffer.from('{"exp":1800000060,"sub":"\xc0\xaf"}', 'latin1')],
    ['half a surrogate pair', '{"exp":1800000060,"sub":"\\ud800"}'],
    ['UTF-16', Buffer.from('{"exp":1800000060}', 'utf16le')],
    ['40 levels', `{"exp":1800000060,"a":${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('are refused although the signature is right: %s', async (_, payload) => {
    expect(await outcome(signed(header, payload))).toBe('claims');
  });

  it('are accepted in UTF-8, with white space', async () => {
    expect(await outcome(signed(header, ' {"exp" : 1800000060, "sub":"Zoë 💥"}\n'))).toBe('valid');
  });
});

describe('a signature', () => {
  const input = inputOf({ alg: 'ES256', kid: 'ec' });
  const good = signatureOf('ES256', keys.ec.privateKey, Buffer.from(input));
  const rsaInput = inputOf({ alg: 'RS256', kid: 'rsa' });
  const goodRsa = signatureOf('RS256', keys.rsa.privateKey, Buffer.from(rsaInput));
  const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
  const zero = Buffer.alloc(32);

  it('is what RFC 7518 says', async () => {
    expect(await outcome(withSignature(input, good))).toBe('valid');
    expect(await outcome(withSignature(rsaInput, goodRsa))).toBe('valid');
  });

  it.each<[string, Buffer]>([
    ['in DER', sign('sha256', Buffer.from(input), keys.ec.privateKey)],
    ['r = s = 0 (CVE-2022-21449)', Buffer.concat([zero, zero])],
    ['r = 0', Buffer.concat([zero, good.subarray(32)])],
    ['s = 0', Buffer.concat([good.subarray(0, 32), zero])],
    ['r = s = n', Buffer.concat([order, order])],
    ['s = n', Buffer.concat([good.subarray(0, 32), order])],
    ['a byte behind', Buffer.concat([good, Buffer.alloc(1)])],
    ['a byte before', Buffer.concat([Buffer.alloc(1), good])],
    ['with padded halves', Buffer.concat([zero, good.subarray(0, 32), zero, good.subarray(32)])],
    ['half of it', good.subarray(0, 32)],
    ['one byte', Buffer.alloc(1)],
  ])('of ECDSA is refused: %s', async (_, signature) => {
    expect(await outcome(withSignature(input, signature))).toBe('signature');
  });

  it.each<[string, Buffer]>([
    ['all zero', Buffer.alloc(256)],
    ['one', Buffer.concat([Buffer.alloc(255), Buffer.from([1])])],
    ['a zero byte before', Buffer.concat([Buffer.alloc(1), goodRsa])],
    ['a byte behind', Buffer.concat([goodRsa, Buffer.alloc(1)])],
    ['PSS', signatureOf('PS256', keys.rsa.privateKey, Buffer.from(rsaInput))],
    ['another hash', signatureOf('RS512', keys.rsa.privateKey, Buffer.from(rsaInput))],
  ])('of RSA is refused: %s', async (_, signature) => {
    expect(await outcome(withSignature(rsaInput, signature))).toBe('signature');
  });

  it.each([0, 20, 222])('of RSA-PSS is refused with a salt of %i bytes', async (saltLength) => {
    const pss = inputOf({ alg: 'PS256', kid: 'rsa' });
    const options = { key: keys.rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING };
    const withSalt = (length: number) =>
      withSignature(pss, sign('sha256', Buffer.from(pss), { ...options, saltLength: length }));
    expect(await outcome(withSalt(32))).toBe('valid');
    expect(await outcome(withSalt(saltLength))).toBe('signature');
  });

  it('of a P-256 key with SHA-512 is refused, named ES512 or ES256', async () => {
    for (const [alg, expected] of [
      ['ES512', 'algorithm'],
      ['ES256', 'signature'],
    ] as const) {
      const text = inputOf({ alg, kid: 'ec' });
      const token = withSignature(text, signatureOf('ES512', keys.ec.privateKey, Buffer.from(text)));
      expect(await outcome(token)).toBe(expected);
    }
  });

  it('of Ed25519 is refused with S + L', async () => {
    const token = signed(header);
    const [head, payload, signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + groupOrder;
    const changed = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
    const forged = Buffer.concat([bytes.subarray(0, 32), changed]);
    expect(await outcome(`${head}.${payload}.${forged.toString('base64url')}`)).toBe('signature');
  });
});

function keyObject(kid: string) {
  return readKeyRing(set).get(kid)[0]!.key;
}

function pem(kid: string): string {
  return keyObject(kid).export({ type: 'spki', format: 'pem' }).toString();
}
