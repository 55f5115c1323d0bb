import type { KeyObject, webcrypto } from 'node:crypto';
import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** The kinds of keys that the controller creates. */
export type KeyType = 'ec' | 'rsa';

/** A CA key protects for ten years, a server key is used in every handshake. */
const rsaBits = { ca: 3072, server: 2048 } as const;

/** Creates a private key: P-256, or RSA with 3,072 bits for a CA and 2,048 for the server. Returns PKCS#8 in PEM. */
export async function createKey(type: KeyType, use: keyof typeof rsaBits): Promise<string> {
  const { privateKey } =
    type === 'ec'
      ? await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
      : await promisify(generateKeyPair)('rsa', { modulusLength: rsaBits[use] });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const curves: Readonly<Record<string, { namedCurve: string; hash: string }>> = {
  prime256v1: { namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { namedCurve: 'P-521', hash: 'SHA-512' },
};

/** A private key as the certificate library takes it. `hash` fits the key. */
export interface SigningKey {
  readonly key: webcrypto.CryptoKey;
  readonly hash: string;
  /** SubjectPublicKeyInfo in DER. */
  readonly spki: Buffer;
}

/** True for a key with which the controller can sign certificates: RSA, P-256, P-384 or P-521. */
export function canSign({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  return type === 'rsa' || (type === 'ec' && (details?.namedCurve ?? '') in curves);
}

/** `pem`: PKCS#8, SEC1 or PKCS#1. @throws Error for a key that cannot sign */
export function loadSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = privateKey;
  if (type === 'rsa') {
    const hash = 'SHA-256';
    return { key: privateKey.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash }, false, ['sign']), hash, spki };
  }
  const curve = type === 'ec' ? curves[details?.namedCurve ?? ''] : undefined;
  if (!curve) throw new Error(`a key of the kind ${type} cannot sign certificates`);
  const { namedCurve, hash } = curve;
  return { key: privateKey.toCryptoKey({ name: 'ECDSA', namedCurve }, false, ['sign']), hash, spki };
}
