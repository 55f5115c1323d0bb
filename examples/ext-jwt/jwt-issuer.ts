import type { CryptoKey } from 'jose';
import { SignJWT } from 'jose';

/** The claim `aud` that the controller expects. */
export const audience = 'edge';

/** Somebody whose JWTs the controller accepts. */
export interface JwtIssuer {
  /** The claim `iss`. */
  readonly issuer: string;
  /** Signs a JWT that is valid for five minutes. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

interface Signature {
  readonly issuer: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

export function signJwt({ issuer, claims, kid, privateKey }: Signature): Promise<string> {
  return new SignJWT({ aud: audience, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(issuer)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey);
}
