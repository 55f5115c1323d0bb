import { describeValue } from '../jwt/broken-check.ts';
import { audienceOf, claimValue } from '../jwt/claim-values.ts';
import type { TokenCheck } from './token-report.ts';
import type { TrustedSigner } from './trusted-signers.ts';

type Claims = Readonly<Record<string, unknown>>;

/** What a token with a readable form has passed. */
export const formChecks: readonly TokenCheck[] = [
  { check: 'form', passed: true },
  { check: 'header', passed: true },
];

export function enabledCheck({ enabled }: TrustedSigner): TokenCheck {
  if (enabled) return { check: 'enabled', passed: true };
  return { check: 'enabled', passed: false, expected: 'a signer that is enabled', received: 'a disabled one' };
}

export function audienceCheck({ audience }: TrustedSigner, claims: Claims): TokenCheck {
  const received = audienceOf(claims);
  // A signer without an audience accepts no token.
  if (audience && received.includes(audience)) return { check: 'audience', passed: true };
  const expected = audience ? describeValue(audience) : 'a signer with an audience';
  return { check: 'audience', passed: false, expected, received: describeValue(received) };
}

export function identityClaimCheck({ claimsProperty }: TrustedSigner, claims: Claims): TokenCheck {
  if (claimValue(claims, claimsProperty) !== null) return { check: 'identityClaim', passed: true };
  const expected = `a text of 1 to 512 characters at ${claimsProperty}`;
  return { check: 'identityClaim', passed: false, expected, received: 'no such text' };
}

/** Without any keys of the signer. */
export function noKeys(problem: string | null): TokenCheck {
  return { check: 'key', passed: false, expected: 'the keys of the signer', received: problem ?? 'no keys' };
}

/** A failed check of the key. `problem`: why the last fetch failed, so that the signer may have newer keys. */
export function explainKey(check: TokenCheck, problem: string | null): TokenCheck {
  return check.passed || problem === null ? check : { ...check, received: `${check.received}; ${problem}` };
}
