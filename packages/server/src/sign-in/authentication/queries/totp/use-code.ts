import { ApiError } from '../../../../core/api-error.ts';
import { attemptsLeft, reserveAttempt, secondsToWait } from '../../../../credentials/mfas/attempts.ts';
import { findMfa } from '../../../../credentials/mfas/mfa-record.ts';
import type { MfaRow } from '../../../../credentials/mfas/mfa-row.ts';
import type { Writes } from '../../../../credentials/mfas/use-up-code.ts';
import { endSessionBy } from '../../../../sessions/end-session.ts';
import type { SessionCall } from '../../dependencies.ts';
import type { CodeKind } from './consume-code.ts';
import { consumeCode } from './consume-code.ts';

/** A code that the caller sent, and what to do with it. */
export interface GivenCode extends Writes {
  readonly mfa: MfaRow;
  readonly code: string | undefined;
  readonly accepts: readonly CodeKind[];
  /** Creates the error for a record that was removed before the code was used. */
  readonly missing: () => ApiError;
}

export interface UsedCode {
  readonly kind: CodeKind;
  /** The record after the code was used. */
  readonly mfa: MfaRow;
}

/**
 * Uses up a TOTP or recovery code of the caller.
 *
 * @throws ApiError `MFA_INVALID_TOKEN` with `RateLimit-Remaining` for a wrong code. `SERVER_TOO_MANY_REQUESTS` with
 * `Retry-After` when the identity has no attempts left, also for a right code; a partial session is then removed.
 * `SERVER_TOO_MANY_REQUESTS` too when other codes of the identity are used at the same time.
 */
export async function useCode(call: SessionCall, given: GivenCode): Promise<UsedCode> {
  const { mfa, code = '' } = given;
  const kind = kindOf(code);
  // A code of the wrong form cannot be right, so it is not counted as an attempt.
  if (kind === null || !given.accepts.includes(kind)) {
    const left = attemptsLeft(call, mfa);
    throw left > 0 ? await refused(call, left) : await exhausted(call, given);
  }
  const left = await reserveAttempt(call, mfa);
  if (left === null) throw await exhausted(call, given);
  const used = await consumeCode(call, mfa, { ...given, kind, code });
  if (used === 'wrong') throw await refused(call, left);
  if (used === 'gone') throw given.missing();
  if (used === 'busy') throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1 });
  return { kind, mfa: used };
}

/** Returns the kind of a code, or `null` for another form. Spaces and digits of other scripts are not accepted. */
function kindOf(code: string): CodeKind | null {
  if (/^[0-9]{6}$/.test(code)) return 'totp';
  return /^[A-Z2-7]{6}$/.test(code) ? 'recoveryCode' : null;
}

async function refused(call: SessionCall, left: number): Promise<ApiError> {
  await publishRefusal(call, 'wrong');
  return new ApiError('MFA_INVALID_TOKEN', { headers: { 'RateLimit-Remaining': String(left) } });
}

async function exhausted(call: SessionCall, { mfa, missing }: GivenCode): Promise<ApiError> {
  const current = await findMfa(call.database.db, mfa.identityId);
  if (current?.id !== mfa.id) return missing();
  await publishRefusal(call, 'exhausted');
  const { stored, state } = call.session;
  if (state.authQueries.length > 0) await endSessionBy(call, stored, 'controller');
  return new ApiError('SERVER_TOO_MANY_REQUESTS', {
    retryAfter: Math.max(1, secondsToWait(call, current)),
    headers: { 'RateLimit-Remaining': '0' },
  });
}

async function publishRefusal(call: SessionCall, reason: 'wrong' | 'exhausted'): Promise<void> {
  const { principal, stored } = call.session;
  await call.audit.publish(call, 'mfaCode.refused', { identityId: principal.id, apiSessionId: stored.id, reason });
}
