import { ApiError } from '../../../api-error.ts';
import type { SessionCall } from '../../../call.ts';
import { attemptsLeft, reserveAttempt, secondsToWait } from './attempts.ts';
import type { CodeKind, Writes } from './consume-code.ts';
import { consumeCode } from './consume-code.ts';
import type { MfaRow } from './mfa-record.ts';
import { findMfa } from './mfa-record.ts';

/** A code that the caller sent, and what it is for. */
export interface GivenCode extends Writes {
  readonly mfa: MfaRow;
  readonly code: string | undefined;
  readonly accepts: readonly CodeKind[];
  /** What to answer when the record is gone before the code was used. */
  readonly missing: () => ApiError;
}

export interface UsedCode {
  readonly kind: CodeKind;
  /** The record after the use. */
  readonly mfa: MfaRow;
}

/**
 * Uses up a TOTP or recovery code of the caller.
 *
 * @throws ApiError `MFA_INVALID_TOKEN` for a wrong code, with `RateLimit-Remaining`; `SERVER_TOO_MANY_REQUESTS` with
 * `Retry-After` for any code, right ones too, when the attempts of the identity are used up: a partial session ends then
 */
export async function useCode(call: SessionCall, given: GivenCode): Promise<UsedCode> {
  const { mfa, code = '' } = given;
  const kind = kindOf(code);
  // What cannot be right is no guess and costs no attempt.
  if (kind === null || !given.accepts.includes(kind)) {
    const left = attemptsLeft(call, mfa);
    throw left > 0 ? refused(call, left) : await exhausted(call, given);
  }
  const left = await reserveAttempt(call, mfa);
  if (left === null) throw await exhausted(call, given);
  const used = await consumeCode(call, mfa, { ...given, kind, code });
  if (used === 'wrong') throw refused(call, left);
  if (used === 'gone') throw given.missing();
  if (used === 'busy') throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1 });
  return { kind, mfa: used };
}

/** Byte for byte: a code with blanks or with digits of another script is another code. */
function kindOf(code: string): CodeKind | null {
  if (/^[0-9]{6}$/.test(code)) return 'totp';
  return /^[A-Z2-7]{6}$/.test(code) ? 'recoveryCode' : null;
}

function refused(call: SessionCall, left: number): ApiError {
  tell(call, 'wrong');
  return new ApiError('MFA_INVALID_TOKEN', { headers: { 'RateLimit-Remaining': String(left) } });
}

async function exhausted(call: SessionCall, { mfa, missing }: GivenCode): Promise<ApiError> {
  const current = await findMfa(call.entities.db, mfa.identityId);
  if (current?.id !== mfa.id) return missing();
  tell(call, 'exhausted');
  const { stored, principal, state } = call.session;
  if (state.authQueries.length > 0 && (await call.sessions.remove(stored.id))) {
    call.events.emit('apiSessionRemoved', { apiSessionId: stored.id, identityId: principal.id, by: 'controller' });
  }
  return new ApiError('SERVER_TOO_MANY_REQUESTS', {
    retryAfter: Math.max(1, secondsToWait(call, current)),
    headers: { 'RateLimit-Remaining': '0' },
  });
}

function tell({ events, session: { principal, stored } }: SessionCall, reason: 'wrong' | 'exhausted'): void {
  events.emit('mfaCodeRefused', { identityId: principal.id, apiSessionId: stored.id, reason });
}
