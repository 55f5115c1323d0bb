import { describeValue } from '../jwt/broken-check.ts';
import type { TokenCheck } from './token-report.ts';
import type { TrustedSigner } from './trusted-signers.ts';

type Claims = Readonly<Record<string, unknown>>;

/** When a token is checked. All in milliseconds; `at` since 1970. */
interface Moment {
  readonly at: number;
  readonly tolerance: number;
}

/**
 * The checks of what a token says about the sign-in at the provider (OpenID Connect Core 1.0, section 2), as far as the signer asks
 * for them. A claim that is missing or malformed fails.
 */
export function signInChecks(signer: TrustedSigner, claims: Claims, moment: Moment): readonly TokenCheck[] {
  const { requiredAcr, requiredAmr, maxAuthAgeMinutes } = signer;
  return [
    ...(requiredAcr ? [acrCheck(requiredAcr, claims.acr)] : []),
    ...(requiredAmr ? [amrCheck(requiredAmr, claims.amr)] : []),
    ...(maxAuthAgeMinutes ? [authTimeCheck(maxAuthAgeMinutes * 60_000, claims.auth_time, moment)] : []),
  ];
}

function acrCheck(accepted: readonly string[], acr: unknown): TokenCheck {
  if (typeof acr === 'string' && accepted.includes(acr)) return { check: 'acr', passed: true };
  const expected = `acr: one of ${describeValue(accepted)}`;
  return { check: 'acr', passed: false, expected, received: describeValue(acr) };
}

function amrCheck(required: readonly string[], amr: unknown): TokenCheck {
  if (Array.isArray(amr) && required.every((method) => amr.includes(method))) return { check: 'amr', passed: true };
  const expected = `amr: a list with ${describeValue(required)}`;
  return { check: 'amr', passed: false, expected, received: describeValue(amr) };
}

function authTimeCheck(maxAge: number, seconds: unknown, { at, tolerance }: Moment): TokenCheck {
  const age = typeof seconds === 'number' ? at - seconds * 1_000 : Number.NaN;
  // The conditions say what must be true, so `NaN` fails.
  if (age <= maxAge + tolerance && age >= -tolerance) return { check: 'authTime', passed: true };
  const expected = `auth_time: within the last ${maxAge / 60_000} minutes`;
  const received = Number.isFinite(age) ? `${Math.round(age / 1_000)} seconds ago` : describeValue(seconds);
  return { check: 'authTime', passed: false, expected, received };
}
