import type { KeyObject } from 'node:crypto';
import { constants, createPrivateKey, sign, verify } from 'node:crypto';

/** The hash for each curve. The type of the key decides how it signs, and nobody else. */
const hashes: Readonly<Record<string, string>> = { prime256v1: 'sha256', secp384r1: 'sha384', secp521r1: 'sha512' };
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

/** @param keyPem EC (P-256, P-384, P-521), RSA or Ed25519 */
export function signWithKey(keyPem: string, bytes: Uint8Array): Buffer {
  const key = createPrivateKey(keyPem);
  return sign(hashOf(key), bytes, { key, ...pss });
}

export function isSignedWith(key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  return verify(hashOf(key), bytes, { key, ...pss }, signature);
}

function hashOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | null {
  if (asymmetricKeyType === 'ec') return hashes[asymmetricKeyDetails?.namedCurve ?? ''] ?? 'sha256';
  return asymmetricKeyType === 'rsa' ? 'sha256' : null;
}
