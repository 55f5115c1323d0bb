import type { JsonWebKey, KeyObject } from 'node:crypto';
import { constants, generateKeyPairSync, sign } from 'node:crypto';

/** A key that signs JWTs, and what its signer publishes of it. */
export interface JwtSigningKey {
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey & { readonly kid: string };
}

export const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
export const jwtAlgorithms = [...rsaAlgorithms, 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const curves: Record<string, string> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/** Makes a key for an algorithm of `jwtAlgorithms`, with the `kid` `key`. */
export function createJwtKey(alg: string, kid = 'key'): JwtSigningKey {
  const { privateKey, publicKey } = generate(alg);
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid } };
}

function generate(alg: string) {
  if (alg.startsWith('Ed')) return generateKeyPairSync('ed25519');
  const namedCurve = curves[alg];
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { namedCurve });
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

export const base64url = (text: string | Buffer) => Buffer.from(text).toString('base64url');

/** Signs any header and payload, right or wrong: objects become JSON, a text is taken as it is. */
export function signJwt(options: {
  readonly key: KeyObject;
  readonly alg: string;
  readonly header?: object | string;
  readonly claims: object | string | Buffer;
}): string {
  const { key, alg, header = { alg, kid: 'key' }, claims } = options;
  const input = `${base64url(textOf(header))}.${base64url(textOf(claims))}`;
  return `${input}.${base64url(signatureOf(alg, key, Buffer.from(input)))}`;
}

function textOf(part: object | string | Buffer): string | Buffer {
  return typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part);
}

/** A signature as RFC 7518 and RFC 8037 have it. */
export function signatureOf(alg: string, key: KeyObject, input: Buffer): Buffer {
  if (alg.startsWith('Ed')) return sign(null, input, key);
  const hash = `sha${alg.slice(2)}`;
  if (alg.startsWith('ES')) return sign(hash, input, { key, dsaEncoding: 'ieee-p1363' });
  if (alg.startsWith('RS')) return sign(hash, input, key);
  const saltLength = Number(alg.slice(2)) / 8;
  return sign(hash, input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
}
