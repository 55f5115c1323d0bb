import type { ApiErrorCause, ExternalJwtCheck } from '@edge-controller/shared-types';
import type { TokenError } from '../../core/text/challenge.ts';
import type { TrustedSigner } from './trusted-signers.ts';

/** One check of a JWT, as an administrator may see it: the values are header members and claims, never the token. */
export interface TokenCheck {
  readonly check: ExternalJwtCheck['check'];
  readonly passed: boolean;
  readonly expected?: string;
  readonly received?: string;
}

/** What was found about a JWT. The checks end with the first that failed. */
export interface TokenReport {
  readonly checks: readonly TokenCheck[];
  /** The signer that `iss` names, enabled or not. */
  readonly signer: TrustedSigner | null;
  /** The verified claims. `null`: a check failed. */
  readonly claims: Readonly<Record<string, unknown>> | null;
  /** The value of the claim that names the identity. `null`: a check failed. */
  readonly subject: string | null;
}

/** Checks whose failure means `missing`: no token of an enabled signer leads to an identity that it may sign in. */
const missing = new Set(['form', 'issuer', 'enabled', 'identityClaim', 'identity', 'policy']);

/** The error of a report as the wire shows it to clients. `null`: every check has passed. */
export function errorOf({ checks }: Pick<TokenReport, 'checks'>): TokenError | null {
  const failed = failedCheck(checks)?.check;
  if (failed === undefined) return null;
  if (failed === 'expiry') return 'expired';
  return missing.has(failed) ? 'missing' : 'invalid';
}

/** Checks that are about the token alone. Who has it learns nothing else from them. */
const ofToken = new Set([
  ...['form', 'header', 'claims', 'lifetime', 'tokenKind', 'acr', 'amr', 'authTime', 'identityClaim'],
]);

/** What to tell the holder of a token that breaks a limit, or has another form. `null`: nothing, or its failure is of another kind. */
export function flawOf({ checks }: Pick<TokenReport, 'checks'>): ApiErrorCause | null {
  const failed = failedCheck(checks);
  if (!failed || !ofToken.has(failed.check)) return null;
  const { check, expected, received } = failed;
  return { field: 'Authorization', reason: `${check}: expected ${expected}`, value: received ?? '' };
}

export function failedCheck(checks: readonly TokenCheck[]): TokenCheck | undefined {
  return checks.find(({ passed }) => !passed);
}

/** Of the errors of several tokens, the one that helps the client most. */
export function worstError(errors: readonly TokenError[]): TokenError {
  return (['expired', 'invalid'] as const).find((error) => errors.includes(error)) ?? 'missing';
}
