import { selectClaim } from './claim-selector.ts';

/** Characters. */
const maxClaimLength = 512;

type Claims = Readonly<Record<string, unknown>>;

/** Returns the audiences of a JWT (RFC 7519, section 4.1.3); none when `aud` is neither a string nor an array of strings. */
export function audienceOf({ aud }: Claims): readonly string[] {
  return textsOf(aud) ?? [];
}

/** Returns the claim that names an identity; `null` when it is not a string of 1 to 512 characters. */
export function claimValue(claims: Claims, selector: string): string | null {
  const value = selectClaim(claims, selector);
  return typeof value === 'string' && value.length > 0 && value.length <= maxClaimLength ? value : null;
}

/** Returns the values of a claim that may have several: those of an array, or the claim itself. None when it is absent or null. */
export function claimValues(claims: Claims, selector: string): readonly unknown[] {
  const value = selectClaim(claims, selector) ?? [];
  return Array.isArray(value) ? value : [value];
}

function textsOf(value: unknown): readonly string[] | null {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.every((entry) => typeof entry === 'string') ? values : null;
}
