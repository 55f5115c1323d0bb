import { findMfa } from '../../../../credentials/mfas/mfa-record.ts';
import type { MfaRow } from '../../../../credentials/mfas/mfa-row.ts';
import { recoveryCodesOf, sealRecoveryCodes, secretOf } from '../../../../credentials/mfas/sealed-members.ts';
import type { CodeUse, Writes } from '../../../../credentials/mfas/use-up-code.ts';
import { useUpCode } from '../../../../credentials/mfas/use-up-code.ts';
import { useSteps } from '../../../../credentials/mfas/used-steps.ts';
import type { AuthenticationCall } from '../../dependencies.ts';
import { withoutCode } from './recovery-codes.ts';
import { latestStep, matchingSteps } from './totp.ts';

export type CodeKind = 'totp' | 'recoveryCode';
type CodeDependencies = Pick<AuthenticationCall, 'clock' | 'database' | 'sealer'>;

/** Another code of the same identity may be used at the same moment. Then the write fails and is tried again. */
const maxTries = 40;

/**
 * Evaluates a code and uses it up in one conditional write. Of several concurrent callers with the same code, only one
 * succeeds.
 *
 * @returns the written record; `wrong` when the code is not acceptable or was used already; `gone` when the record was
 * removed or verified meanwhile; `busy` when other codes were used during every try
 */
export async function consumeCode(
  call: CodeDependencies,
  found: MfaRow,
  given: { kind: CodeKind; code: string } & Writes,
): Promise<MfaRow | 'wrong' | 'gone' | 'busy'> {
  const now = call.clock();
  let mfa = found;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const use = evaluateCode(call, mfa, { ...given, now });
    if (!use) return 'wrong';
    const written = await useUpCode(call, mfa, { ...given, ...use });
    if (written) return written;
    const current = await findMfa(call.database.db, mfa.identityId);
    if (current?.id !== mfa.id || current.isVerified !== mfa.isVerified) return 'gone';
    mfa = current;
  }
  return 'busy';
}

function evaluateCode(
  call: CodeDependencies,
  mfa: MfaRow,
  given: { kind: CodeKind; code: string; now: number },
): CodeUse | null {
  if (given.kind === 'totp') {
    const steps = matchingSteps({ ...given, secret: secretOf(call, mfa) });
    const usedSteps = steps.length === 0 ? null : useSteps(mfa, steps, latestStep(given.now));
    return usedSteps === null ? null : { usedSteps };
  }
  const rest = withoutCode(recoveryCodesOf(call, mfa), given.code);
  return rest && { sealedRecoveryCodes: sealRecoveryCodes(call, mfa, rest) };
}
