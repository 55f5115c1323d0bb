import type { Settings } from '../../core/config/schema.ts';
import type { Clock } from '../../core/time/clock.ts';
import { describeValue } from '../jwt/broken-check.ts';
import { claimValue } from '../jwt/claim-values.ts';
import type { ParsedJwt } from '../jwt/parse-jwt.ts';
import { parseJwt } from '../jwt/parse-jwt.ts';
import { verifyJwt } from '../jwt/verify-jwt.ts';
import { signInChecks } from './sign-in-checks.ts';
import type { SignerKeys } from './signer-keys.ts';
import { audienceCheck, enabledCheck, explainKey, formChecks, identityClaimCheck, noKeys } from './token-checks.ts';
import { tokenKindCheck } from './token-kind.ts';
import type { TokenCheck, TokenReport } from './token-report.ts';
import { failedCheck } from './token-report.ts';
import type { SignersOfVersion, TrustedSigner } from './trusted-signers.ts';

/** Which JWTs count. */
export interface VerifyRequest {
  /** The version of the entities. */
  readonly version: string;
  /** Only a JWT of this signer counts. */
  readonly signerId?: string;
  /** A JWT of a disabled signer counts, too. */
  readonly allowDisabled?: true;
}

/** Verifies a JWT by the signer that its claim `iss` names. It does not read the identity. */
export type VerifyToken = (token: string, request: VerifyRequest) => Promise<TokenReport>;

interface VerifyTokenOptions {
  readonly signersAt: (version: string) => Promise<SignersOfVersion>;
  readonly keysOf: SignerKeys;
  readonly settings: Pick<Settings, 'jwtClockTolerance' | 'jwtMaxLifetime'>;
  readonly clock: Clock;
}

export function createTokenVerifier({ signersAt, keysOf, settings, clock }: VerifyTokenOptions): VerifyToken {
  return async (token, request) => {
    const parsed = parseJwt(token);
    if ('valid' in parsed) return refused(null, parsed.checks);
    const { signer, checks } = findSigner(parsed, await signersAt(request.version), request);
    const before = [...formChecks, ...checks];
    if (!signer || failedCheck(before)) return refused(signer, before);
    const { keys, problem } = await keysOf(signer, parsed.header.kid);
    if (!keys) return refused(signer, [...before, noKeys(problem)]);
    const moment = { at: clock(), tolerance: settings.jwtClockTolerance };
    const verdict = await verifyJwt({
      ...{ token: parsed, keys, ...moment },
      ...(settings.jwtMaxLifetime !== null && { maxLifetime: settings.jwtMaxLifetime }),
    });
    const verified = verdict.checks.slice(formChecks.length);
    if (!verdict.valid) {
      const explain = (check: TokenCheck) => explainKey(check, problem);
      return refused(signer, [...before, ...(verdict.failed === 'key' ? verified.map(explain) : verified)]);
    }
    const { claims, header } = verdict;
    const checksOfClaims = [
      audienceCheck(signer, claims),
      tokenKindCheck(signer, header, claims),
      ...signInChecks(signer, claims, moment),
      identityClaimCheck(signer, claims),
    ];
    const all = [...before, ...verified, ...upToFailure(checksOfClaims)];
    const subject = failedCheck(all) ? null : claimValue(claims, signer.claimsProperty);
    return subject === null ? refused(signer, all) : { signer, checks: all, claims, subject };
  };
}

interface FoundSigner {
  readonly signer: TrustedSigner | null;
  readonly checks: readonly TokenCheck[];
}

/** The signer that a token names, and the checks about it. */
function findSigner(
  { claimedIssuer }: ParsedJwt,
  { byId, byIssuer }: SignersOfVersion,
  { signerId, allowDisabled }: VerifyRequest,
): FoundSigner {
  const signer = byIssuer.get(claimedIssuer ?? '') ?? null;
  const wanted = signerId === undefined ? null : byId.get(signerId);
  if (!signer || (wanted !== null && wanted !== signer)) {
    const expected = wanted ? describeValue(wanted.issuer) : 'the issuer of a signer';
    const received = describeValue(claimedIssuer ?? undefined);
    return { signer, checks: [{ check: 'issuer', passed: false, expected, received }] };
  }
  const issuer: TokenCheck = { check: 'issuer', passed: true };
  return { signer, checks: allowDisabled ? [issuer] : [issuer, enabledCheck(signer)] };
}

/** The checks with the first that failed as the last one. */
function upToFailure(checks: readonly TokenCheck[]): readonly TokenCheck[] {
  const failed = checks.findIndex(({ passed }) => !passed);
  return failed === -1 ? checks : checks.slice(0, failed + 1);
}

function refused(signer: TrustedSigner | null, checks: readonly TokenCheck[]): TokenReport {
  return { signer, checks, claims: null, subject: null };
}
