import type { ClientKeys, KeyType } from '../api/client-keys.ts';
import { readChildren, readDer, toHex } from './der.ts';
import { fromPem, toPem } from './pem.ts';

interface KeyOptions {
  /** The key to use, in PKCS#8 PEM or as a key pair of WebCrypto. Default: a new key. */
  readonly key?: string | ClientKeys | undefined;
  /** The type of a new key. Default `ec`. */
  readonly keyType?: KeyType | undefined;
}

const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const newKeys = {
  ec: { name: 'ECDSA', namedCurve: 'P-256' },
  rsa: { ...rsa, modulusLength: 3072, publicExponent: Uint8Array.of(1, 0, 1) },
} as const;

/** Object identifiers in the private key (RFC 5480, RFC 8017). */
const rsaId = '2a864886f70d010101';
const curves: Readonly<Record<string, 'P-256' | 'P-384' | 'P-521'>> = {
  '2a8648ce3d030107': 'P-256',
  '2b81040022': 'P-384',
  '2b81040023': 'P-521',
};

/**
 * Returns the given key, or creates one.
 *
 * @throws TypeError when the PEM text is not an unencrypted PKCS#8 key of one of the types above, or when the page is
 *   not served over HTTPS and therefore has no WebCrypto
 */
export async function clientKeys({ key, keyType = 'ec' }: KeyOptions): Promise<ClientKeys> {
  if ((globalThis as { crypto?: { subtle?: unknown } }).crypto?.subtle === undefined) {
    throw new TypeError('WebCrypto is missing: serve the page over HTTPS or from localhost');
  }
  if (typeof key === 'string') return importKeys(key);
  return key ?? crypto.subtle.generateKey(newKeys[keyType], true, ['sign', 'verify']);
}

/** PKCS#8 PEM of a private key, or `undefined` when it cannot be exported. */
export async function privateKeyPem({ privateKey }: ClientKeys): Promise<string | undefined> {
  if (!privateKey.extractable) return undefined;
  return toPem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)));
}

async function importKeys(pem: string): Promise<ClientKeys> {
  const der = fromPem('PRIVATE KEY', pem);
  const algorithm = der && algorithmOf(der);
  if (!der || !algorithm) throw new TypeError('the key must be an RSA or EC key in PKCS#8 PEM, not encrypted');
  const privateKey = await crypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  const { kty, crv, x, y, n, e } = await crypto.subtle.exportKey('jwk', privateKey);
  const publicJwk = kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y };
  const defined = Object.fromEntries(Object.entries(publicJwk).filter(([, value]) => value !== undefined));
  const publicKey = await crypto.subtle.importKey('jwk', defined, algorithm, true, ['verify']);
  return { privateKey, publicKey };
}

function algorithmOf(pkcs8: Uint8Array) {
  const [, algorithm] = readChildren(pkcs8, readDer(pkcs8, 0));
  const [id, parameters] = algorithm === undefined ? [] : readChildren(pkcs8, algorithm);
  const hex = (value: typeof id) => (value === undefined ? '' : toHex(pkcs8.subarray(value.start, value.end)));
  if (hex(id) === rsaId) return rsa;
  const namedCurve = curves[hex(parameters)];
  return namedCurve === undefined ? null : { name: 'ECDSA', namedCurve };
}
