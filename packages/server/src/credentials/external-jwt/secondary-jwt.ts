import type { TokenError } from '../../core/text/challenge.ts';
import type { RecordRefusal } from './record-refusal.ts';
import type { TokenReport } from './token-report.ts';
import { errorOf, failedCheck, worstError } from './token-report.ts';
import type { FindSigner, TrustedSigner } from './trusted-signers.ts';
import type { VerifyToken } from './verify-token.ts';

/** How a request answers the JWT that an auth policy requires. */
export interface SecondaryJwt {
  readonly signer: TrustedSigner | null;
  /** `null`: the request has a valid token of the signer for its identity. */
  readonly error: TokenError | null;
}

export interface SecondaryRequest {
  /** The version of the entities. */
  readonly version: string;
  /** The signer that the auth policy requires. */
  readonly signerId: string;
  readonly principal: {
    readonly id: string;
    readonly externalId: string | null;
    /** The signer that alone may use the external id. `null`: any may. */
    readonly externalIdSignerId: string | null;
  };
}

interface SecondaryJwtOptions {
  readonly find: FindSigner;
  readonly verify: VerifyToken;
  readonly recordRefusal: RecordRefusal;
}

/** Looks for the token of a request that its signer has issued to its identity. */
export async function answerQuery(
  { find, verify, recordRefusal }: SecondaryJwtOptions,
  tokens: readonly string[],
  { version, signerId, principal }: SecondaryRequest,
): Promise<SecondaryJwt> {
  const signer = await find(signerId, version);
  const errors: TokenError[] = [];
  for (const token of tokens) {
    const report = await verify(token, { version, signerId });
    const own = report.signer?.useExternalId ? externalIdFor(signerId, principal) : principal.id;
    if (report.subject !== null && report.subject === own) return { signer, error: null };
    // Other tokens have other uses.
    if (report.signer?.id === signerId) {
      await recordRefusal({}, 'secondary', reportOfOtherIdentity(principal.id, report), principal.id);
    }
    errors.push(errorOf(report) ?? 'missing');
  }
  return { signer, error: worstError(errors) };
}

function externalIdFor(signerId: string, { externalId, externalIdSignerId: only }: SecondaryRequest['principal']) {
  return only === null || only === signerId ? externalId : null;
}

/** The report with the failed check of a valid token that belongs to somebody else. */
function reportOfOtherIdentity(identityId: string, report: TokenReport): TokenReport {
  if (failedCheck(report.checks)) return report;
  const expected = `the identity ${identityId}`;
  return {
    ...report,
    checks: [...report.checks, { check: 'identity', passed: false, expected, received: 'another one' }],
  };
}
