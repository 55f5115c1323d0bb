import type { KeyObject } from 'node:crypto';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { BrokenRule, readOne, readPublicKey, tags } from '@edge-controller/certificate-path';
import { decodeBase64url } from './base64url.ts';
import type { JsonObject } from './parse-object.ts';

/** A key cannot verify JWTs. The message says why. */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey';
}

/** A public key, and the JWT algorithms that fit it. */
export interface JwtPublicKey {
  readonly key: KeyObject;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  readonly kty: 'RSA' | 'EC' | 'OKP';
  /** The name of its curve; `undefined` for RSA. */
  readonly crv: string | undefined;
  /** Asymmetric ones only (RFC 7518, section 3.1; RFC 8037; RFC 9864). */
  readonly algorithms: readonly string[];
}

type Kind = Pick<JwtPublicKey, 'kty' | 'crv' | 'algorithms'>;
const rsa: Kind = {
  kty: 'RSA',
  crv: undefined,
  algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
};
const ed25519: Kind = { kty: 'OKP', crv: 'Ed25519', algorithms: ['EdDSA', 'Ed25519'] };
const curves: ReadonlyMap<string | undefined, Kind> = new Map([
  ['prime256v1', { kty: 'EC', crv: 'P-256', algorithms: ['ES256'] }],
  ['secp384r1', { kty: 'EC', crv: 'P-384', algorithms: ['ES384'] }],
  ['secp521r1', { kty: 'EC', crv: 'P-521', algorithms: ['ES512'] }],
]);

/** Bytes of a coordinate (RFC 7518, section 6.2.1.2; RFC 8037, section 2). */
const coordinateSizes: ReadonlyMap<string, number> = new Map([
  ['P-256', 32],
  ['P-384', 48],
  ['P-521', 66],
  ['Ed25519', 32],
]);
const numbersOf: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['RSA', ['n', 'e']],
  ['EC', ['x', 'y']],
  ['OKP', ['x']],
]);

/**
 * Reads the numbers of a JWK or, when it has none, the key of the first certificate in `x5c`. When both are there they must
 * be the same key (RFC 7517, section 4.7). An entry of a certificate alone needs no `kty`: the certificate says it.
 *
 * @throws UnusableKey
 */
export function publicKeyOfJwk(jwk: JsonObject): JwtPublicKey {
  const fromCertificate = jwk.x5c === undefined ? null : keyOfX5c(jwk.x5c);
  const kty = jwk.kty === undefined ? fromCertificate?.kty : jwk.kty;
  const names = numbersOf.get(kty);
  if (names === undefined) throw new UnusableKey('a kty other than RSA, EC and OKP');
  const present = names.filter((name) => jwk[name] !== undefined);
  const fromNumbers = present.length > 0 ? keyOfNumbers({ ...jwk, kty }, names) : null;
  if (fromNumbers && fromCertificate && !fromNumbers.spki.equals(fromCertificate.spki)) {
    throw new UnusableKey('another key in x5c');
  }
  const found = fromNumbers ?? fromCertificate;
  if (!found) throw new UnusableKey('no numbers and no x5c');
  if (found.kty !== kty || (found.kty !== 'RSA' && jwk.crv !== undefined && found.crv !== jwk.crv)) {
    throw new UnusableKey('another kty or crv in x5c');
  }
  return found;
}

/**
 * Reads the key of a certificate. Nothing else of the certificate counts, neither its dates nor its issuer.
 *
 * @throws UnusableKey
 */
export function publicKeyOfCertificate(der: Buffer): JwtPublicKey {
  return checked(() => new X509Certificate(der).publicKey);
}

function keyOfNumbers(jwk: JsonObject, names: readonly string[]): JwtPublicKey {
  const { kty } = jwk;
  const crv = typeof jwk.crv === 'string' ? jwk.crv : '';
  const size = coordinateSizes.get(crv);
  if (kty !== 'RSA' && size === undefined) throw new UnusableKey('a crv other than P-256, P-384, P-521 and Ed25519');
  const numbers = names.map((name): [string, string] => {
    const text = jwk[name];
    const bytes = typeof text === 'string' ? decodeBase64url(text) : null;
    if (typeof text !== 'string' || bytes === null) throw new UnusableKey(`${name} is not in base64url`);
    if (kty !== 'RSA' && bytes.length !== size) throw new UnusableKey(`${name} has ${bytes.length} bytes`);
    return [name, text];
  });
  // No other member: Node would import a private key.
  const key = { kty: String(kty), crv, ...Object.fromEntries(numbers) };
  return checked(() => createPublicKey({ key, format: 'jwk' }));
}

/** Certificates in base64, not base64url (RFC 7517, section 4.7). */
function keyOfX5c(x5c: unknown): JwtPublicKey {
  const first: unknown = Array.isArray(x5c) ? x5c[0] : null;
  const der = typeof first === 'string' ? Buffer.from(first, 'base64') : null;
  if (der === null || der.toString('base64') !== first) throw new UnusableKey('x5c has no certificates in base64');
  return publicKeyOfCertificate(der);
}

/** The keys of certificates and of JWKs have the same rules. */
function checked(load: () => KeyObject): JwtPublicKey {
  try {
    const key = load();
    const spki = key.export({ type: 'spki', format: 'der' });
    readPublicKey(readOne(spki, tags.sequence));
    const kind = kindOf(key);
    if (kind === undefined) throw new UnusableKey(`a key of type ${key.asymmetricKeyType}`);
    return { key, spki, ...kind };
  } catch (error) {
    const isKnown = error instanceof BrokenRule || error instanceof UnusableKey;
    throw new UnusableKey(isKnown ? error.message : 'no public key');
  }
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Kind | undefined {
  if (asymmetricKeyType === 'rsa') return rsa;
  if (asymmetricKeyType === 'ed25519') return ed25519;
  return curves.get(asymmetricKeyDetails?.namedCurve);
}
