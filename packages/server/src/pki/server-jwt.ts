import type { KeyObject } from 'node:crypto';
import type { JWTPayload } from 'jose';

/** What a TLS server proves its identity with. */
export interface ServerKey {
  readonly key: KeyObject;
  /** SHA-1 of the certificate, in lower-case hex. */
  readonly kid: string;
}

const encoder = new TextEncoder();

/** Imported later, because most processes sign nothing at the start. Kept, because each import takes as long as a part of a signature. */
let jose: Promise<typeof import('jose')> | undefined;

/** Signs claims with the key of the TLS server certificate. */
export async function signWithServerKey({ key, kid }: ServerKey, claims: JWTPayload): Promise<string> {
  jose ??= import('jose');
  const { CompactSign } = await jose;
  // `SignJWT` would copy the claims first.
  const payload = encoder.encode(JSON.stringify(claims));
  return new CompactSign(payload).setProtectedHeader({ alg: algorithmOf(key), typ: 'JWT', kid }).sign(key);
}

const curves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** The JWT algorithm of a key. */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const algorithm = asymmetricKeyType === 'rsa' ? 'RS256' : curves[asymmetricKeyDetails?.namedCurve ?? ''];
  if (algorithm === undefined) throw new Error(`no JWT can be signed with a key of type ${asymmetricKeyType}`);
  return algorithm;
}
