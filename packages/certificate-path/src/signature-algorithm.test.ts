import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import type { KeyPair, Signing } from '../../server/test/support/certificate-writer.ts';
import { der, derNull, newKeys, oid, pssSigning, sequence } from '../../server/test/support/certificate-writer.ts';
import { outcome, verify, writeIntermediate, writeLeaf, writeRoot } from '../../server/test/support/chain.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keys: Readonly<Record<string, KeyPair>> = {
  'P-256': newKeys(),
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  Ed25519: generateKeyPairSync('ed25519'),
  'RSA 2048': rsa,
};

/** The intermediate has the key, and the leaf is signed with it. */
function signedWith(pair: KeyPair, signing?: Signing, spki?: Buffer): string {
  const root = writeRoot();
  const intermediate = writeIntermediate(root, { keys: pair, ...(spki && { spki }) });
  return outcome(verify([writeLeaf(intermediate, signing && { signing }), intermediate, root]));
}

describe('keys of all kinds', () => {
  const kinds = Object.keys(keys);
  it.each(kinds.flatMap((one) => kinds.map((other) => [one, other] as const)))('%s above %s', (upper, lower) => {
    const root = writeRoot({ keys: keys[upper]! });
    const intermediate = writeIntermediate(root, { keys: keys[lower]! });
    const leaf = writeLeaf(intermediate, { keys: keys[upper]! });
    expect(outcome(verify([leaf, intermediate, root]))).toBe('valid');
    const changed = writeLeaf({ ...intermediate, keys: keys[upper]! });
    expect(outcome(verify([changed, intermediate, root]))).toBe(upper === lower ? 'valid' : 'signature at 0');
  });
});

describe('signatures', () => {
  const { privateKey } = rsa;
  const ec = newKeys().privateKey;
  const [pkcs1, ecdsa] = ['1.2.840.113549.1.1', '1.2.840.10045.4'];
  const weak: readonly (readonly [string, string, Buffer | null, string])[] = [
    ['MD5 with RSA', `${pkcs1}.4`, derNull, 'md5'],
    ['SHA-1 with RSA', `${pkcs1}.5`, derNull, 'sha1'],
    ['SHA-224 with RSA', `${pkcs1}.14`, derNull, 'sha224'],
  ];
  it.each(weak)('%s is refused', (_, id, parameters, hash) => {
    const algorithm = sequence(oid(id), ...(parameters ? [parameters] : []));
    expect(signedWith(rsa, { algorithm, sign: (data) => sign(hash, data, privateKey) })).toBe('weak-signature at 0');
  });

  it('SHA-1 with ECDSA is refused', () => {
    const signing = { algorithm: sequence(oid(`${ecdsa}.1`)), sign: (data: Buffer) => sign('sha1', data, ec) };
    expect(signedWith(newKeys(), signing)).toBe('weak-signature at 0');
  });

  it.each([
    [11, 'sha256'],
    [12, 'sha384'],
    [13, 'sha512'],
  ])('RSA with algorithm %i is accepted, with and without NULL', (number, hash) => {
    for (const parameters of [[derNull], []]) {
      const algorithm = sequence(oid(`${pkcs1}.${number}`), ...parameters);
      expect(signedWith(rsa, { algorithm, sign: (data) => sign(hash, data, privateKey) })).toBe('valid');
    }
  });

  it('ECDSA has no parameters', () => {
    const pair = newKeys();
    const signing = (...parameters: Buffer[]) => ({
      algorithm: sequence(oid(`${ecdsa}.3.3`), ...parameters),
      sign: (data: Buffer) => sign('sha384', data, pair.privateKey),
    });
    expect(signedWith(pair, signing())).toBe('valid');
    expect(signedWith(pair, signing(derNull))).toBe('weak-signature at 0');
  });

  it('RSA-PSS needs one hash, and a salt of its length', () => {
    for (const hash of [256, 384, 512] as const) expect(signedWith(rsa, pssSigning(rsa, hash))).toBe('valid');
    expect(signedWith(rsa, pssSigning(rsa, 256, 384))).toBe('weak-signature at 0');
    expect(signedWith(rsa, pssSigning(rsa, 256, 256, 20))).toBe('weak-signature at 0');
    expect(signedWith(rsa, pssSigning(rsa, 256, 256, 0))).toBe('weak-signature at 0');
  });

  it('an RSA-PSS key binds its signatures to its parameters, and makes no others', () => {
    const pkcs1Key = rsa.publicKey.export({ type: 'pkcs1', format: 'der' });
    const spkiOf = (algorithm: Buffer) => sequence(algorithm, der(0x03, Buffer.from([0]), pkcs1Key));
    const free = spkiOf(sequence(oid(`${pkcs1}.10`)));
    const bound = spkiOf(pssSigning(rsa, 256).algorithm);
    expect(signedWith(rsa, pssSigning(rsa, 384), free)).toBe('valid');
    expect(signedWith(rsa, pssSigning(rsa, 256), bound)).toBe('valid');
    expect(signedWith(rsa, pssSigning(rsa, 384), bound)).toBe('signature at 0');
    const plain = {
      algorithm: sequence(oid(`${pkcs1}.11`), derNull),
      sign: (data: Buffer) => sign('sha256', data, privateKey),
    };
    expect(signedWith(rsa, plain, free)).toBe('signature at 0');
  });

  it('the signature of an anchor does not count: it is trusted', () => {
    const signing = { algorithm: sequence(oid(`${pkcs1}.5`), derNull), sign: () => Buffer.alloc(256) };
    const root = writeRoot({ signing });
    expect(outcome(verify([writeLeaf(root), root]))).toBe('valid');
    expect(outcome(verify([writeLeaf(root, { signing }), root]))).toBe('weak-signature at 0');
  });
});

describe('weak keys', () => {
  const modulus = (bits: number, odd = true) => {
    const octets = Buffer.alloc(Math.ceil(bits / 8), 0xff);
    octets[0] = 0xff >> (octets.length * 8 - bits);
    if (!odd) octets[octets.length - 1] = 0xfe;
    return Buffer.concat([Buffer.from([0]), octets]).subarray((octets[0] ?? 0) < 0x80 ? 1 : 0);
  };
  const rsaSpki = (n: Buffer, e: Buffer) => {
    const key = sequence(der(0x02, n), der(0x02, e));
    return sequence(sequence(oid('1.2.840.113549.1.1.1'), derNull), der(0x03, Buffer.from([0]), key));
  };
  const f4 = Buffer.from([1, 0, 1]);

  it.each([
    ['RSA with 1024 bits', rsaSpki(modulus(1024), f4)],
    ['RSA with 2047 bits', rsaSpki(modulus(2047), f4)],
    ['RSA with 2052 bits', rsaSpki(modulus(2052), f4)],
    ['RSA with 16384 bits', rsaSpki(modulus(16_384), f4)],
    ['RSA with an even modulus', rsaSpki(modulus(2048, false), f4)],
    ['RSA with the exponent 1', rsaSpki(modulus(2048), Buffer.from([1]))],
    ['RSA with the exponent 3', rsaSpki(modulus(2048), Buffer.from([3]))],
    ['RSA with an even exponent', rsaSpki(modulus(2048), Buffer.from([1, 0, 2]))],
    ['RSA with an exponent of 33 bits', rsaSpki(modulus(2048), Buffer.from([1, 0, 0, 0, 1]))],
    ['RSA with an exponent of 256 octets', rsaSpki(modulus(2048), Buffer.alloc(256, 1))],
    [
      'secp256k1',
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ type: 'spki', format: 'der' }),
    ],
    [
      'P-192',
      generateKeyPairSync('ec', { namedCurve: 'prime192v1' }).publicKey.export({ type: 'spki', format: 'der' }),
    ],
    [
      'a curve with its own parameters',
      generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).publicKey.export({
        type: 'spki',
        format: 'der',
      }),
    ],
    ['Ed448', generateKeyPairSync('ed448').publicKey.export({ type: 'spki', format: 'der' })],
    [
      'DSA',
      generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).publicKey.export({
        type: 'spki',
        format: 'der',
      }),
    ],
  ])('%s is refused everywhere', (_, spki) => {
    const root = writeRoot();
    expect(outcome(verify([writeLeaf(root, { spki }), root]))).toBe('weak-key at 0');
    expect(signedWith(rsa, undefined, spki)).toBe('weak-key at 1');
    const anchor = writeRoot({ spki });
    expect(outcome(verify([writeLeaf(anchor), anchor]))).toBe('weak-key at 1');
  });

  test('a point that is not on the curve is refused when it is used', () => {
    const spki = Buffer.from(newKeys().publicKey.export({ type: 'spki', format: 'der' }));
    spki.fill(7, spki.length - 64);
    expect(signedWith(newKeys(), undefined, spki)).toBe('weak-key at 1');
  });

  test('an RSA key of two numbers that are missing is malformed', () => {
    const spki = sequence(sequence(oid('1.2.840.113549.1.1.1'), derNull), der(0x03, Buffer.from([0])));
    expect(signedWith(rsa, undefined, spki)).toBe('malformed at 1');
  });
});
