import type { FoundKeys, JwksSource } from '../jwks/jwks-source.ts';
import type { KeyRing } from '../jwt/key-ring.ts';
import { keyRingOfCertificate } from '../jwt/key-ring.ts';
import type { TrustedSigner } from './trusted-signers.ts';

/** Returns the keys of a signer. `kid` is the key that is needed. */
export type SignerKeys = (signer: TrustedSigner, kid: string) => Promise<FoundKeys<KeyRing>>;

/** Finds the keys of signers: in the certificate, or at the JWKS endpoint. */
export function createSignerKeys(jwks: JwksSource<KeyRing>): SignerKeys {
  /** The keys of certificates. A changed signer is another object. */
  const certificateKeys = new WeakMap<TrustedSigner, KeyRing>();
  return async (signer, kid) => {
    const { id: signerId, certPem, jwksEndpoint: url } = signer;
    if (url) return await jwks.keys({ signerId, url }, kid);
    const keys = certificateKeys.get(signer) ?? keyRingOfCertificate(certPem ?? '', signer.kid ?? '');
    certificateKeys.set(signer, keys);
    return { keys, problem: null };
  };
}
