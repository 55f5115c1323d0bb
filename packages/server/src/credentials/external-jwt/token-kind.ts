import type { JwtHeader } from '../jwt/parse-jwt.ts';
import type { TokenCheck } from './token-report.ts';
import type { TrustedSigner } from './trusted-signers.ts';

type Claims = Readonly<Record<string, unknown>>;

const accessTypes = ['at+jwt', 'application/at+jwt'];

/**
 * What a token clearly is. `null`: it may be either, because neither standard makes an issuer mark its tokens.
 *
 * - The header `typ` of an access token may be `at+jwt` (RFC 9068, section 2.1).
 * - `at_hash` and `c_hash` are claims of ID tokens (OpenID Connect Core 1.0, section 3.3.2.11). So is `nonce` (section 2), but some
 *   issuers copy it into access tokens. These have `scope` (RFC 9068, section 2.2.3) or `scp`, which ID tokens have not.
 * - The claim `typ` of some issuers is `ID` or `Bearer`.
 */
export function tokenKind({ typ }: Pick<JwtHeader, 'typ'>, claims: Claims): TrustedSigner['targetToken'] | null {
  const has = (...names: readonly string[]) => names.some((name) => Object.hasOwn(claims, name));
  if (accessTypes.includes(typ?.toLowerCase() ?? '') || claims.typ === 'Bearer') return 'ACCESS';
  if (has('at_hash', 'c_hash') || claims.typ === 'ID') return 'ID';
  if (has('scope', 'scp')) return 'ACCESS';
  return has('nonce') ? 'ID' : null;
}

const names = { ACCESS: 'an access token', ID: 'an ID token' } as const;

export function tokenKindCheck({ targetToken }: TrustedSigner, header: JwtHeader, claims: Claims): TokenCheck {
  const kind = tokenKind(header, claims);
  if (kind === null || kind === targetToken) return { check: 'tokenKind', passed: true };
  return { check: 'tokenKind', passed: false, expected: nameOf(targetToken), received: nameOf(kind) };
}

function nameOf(kind: string): string {
  return kind === 'ID' ? names.ID : names.ACCESS;
}
