import type { EnrollmentMethod } from '../api/enrollment-method.ts';
import { enrollmentError } from './enrollment-error.ts';
import { fromBase64 } from './pem.ts';

/** The claims of an enrollment JWT. Nothing is verified yet. */
export interface EnrollmentClaims {
  readonly method: EnrollmentMethod;
  /** Address of the controller: `https://host:port`, perhaps with a slash at the end. */
  readonly issuer: string;
  /** Id of the identity. With `ca`: id of the CA. */
  readonly subject: string;
  readonly token: string;
  /** Milliseconds since 1970. `null` with `ca`. */
  readonly expiresAt: number | null;
}

const methods: readonly string[] = ['ott', 'ottca', 'ca', 'updb'] satisfies EnrollmentMethod[];

/**
 * Reads the claims without verification.
 *
 * @throws EdgeEnrollmentError `NOT_AN_ENROLLMENT`, `UNSUPPORTED_METHOD`
 */
export function readEnrollmentJwt(jwt: string): EnrollmentClaims {
  const { iss, sub, jti, em, exp } = readJwtPart(jwt, 1);
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof jti !== 'string' || typeof em !== 'string') {
    throw enrollmentError('NOT_AN_ENROLLMENT');
  }
  if (!methods.includes(em)) throw enrollmentError('UNSUPPORTED_METHOD');
  if (em !== 'ca' && typeof exp !== 'number') throw enrollmentError('NOT_AN_ENROLLMENT');
  const expiresAt = typeof exp === 'number' ? exp * 1000 : null;
  return { method: em as EnrollmentMethod, issuer: iss, subject: sub, token: jti, expiresAt };
}

/**
 * Returns the address of the controller. Nothing is verified.
 *
 * @throws EdgeEnrollmentError `NOT_AN_ENROLLMENT` when the issuer is not the address of a controller
 */
export function issuerOf(jwt: string): string {
  const { issuer } = readEnrollmentJwt(jwt);
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== 'https:') throw enrollmentError('NOT_AN_ENROLLMENT');
  return issuer;
}

/** The header (0) or the claims (1) of a JWT. */
export function readJwtPart(jwt: string, index: 0 | 1): Record<string, unknown> {
  try {
    const parts = jwt.trim().split('.');
    const value: unknown = JSON.parse(new TextDecoder().decode(fromBase64Url(parts[index] ?? '')));
    if (parts.length === 3 && typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // The error of the parser would quote parts of the token.
  }
  throw enrollmentError('NOT_AN_ENROLLMENT');
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}
