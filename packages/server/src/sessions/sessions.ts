import type { Access } from '@edge-controller/shared-types';
import type { Services } from '../call.ts';
import { tokenHash } from '../lib/ids.ts';
import type { LiveApiSession } from '../stores/session-store.ts';
import type { AuthState } from './auth-state.ts';
import { authState } from './auth-state.ts';
import type { Principal } from './principals.ts';
import type { ActiveSession } from './session.ts';

const noSigners: ReadonlySet<string> = new Set();

/**
 * Reads and touches the API session of a token and judges it at this very request. `null`: no live session, its
 * identity is gone or disabled, or its primary method is not allowed now.
 */
export async function resolveSession(token: string, services: Services): Promise<ActiveSession | null> {
  const { session: stored, version } = await services.sessions.touch(tokenHash(token));
  if (!stored) return null;
  const principal = await services.principals.get(stored.identityId, version);
  if (!principal) {
    await services.sessions.remove(stored.id);
    return null;
  }
  const state = await judgeNow(services, stored, principal);
  return state.isAllowed ? { stored, token, principal, state } : null;
}

/** Judges a session and notes the flags where lists filter by them: they are those of its last request. */
export async function judgeNow(
  { sessions }: Pick<Services, 'sessions'>,
  stored: LiveApiSession,
  principal: Principal,
): Promise<AuthState> {
  const state = judge(stored, principal);
  const { isMfaRequired, isMfaComplete } = state;
  if (stored.isMfaRequired !== isMfaRequired || stored.isMfaComplete !== isMfaComplete) {
    await sessions.update(stored.tokenHash, { isMfaRequired, isMfaComplete });
  }
  return state;
}

/** How far a stored session is authenticated now. */
export function judge(stored: LiveApiSession, { policy, mfaId }: Pick<Principal, 'policy' | 'mfaId'>): AuthState {
  return authState({
    method: stored.method,
    policy,
    mfaId,
    provenMfaId: stored.mfaId,
    provenSigners: noSigners,
  });
}

/** May this session call an operation of this access level? */
export function allows(access: Access, { state, principal }: ActiveSession): boolean {
  const isFull = state.authQueries.length === 0;
  return {
    anyone: true,
    partial: true,
    full: isFull,
    admin: isFull && principal.isAdmin,
  }[access];
}
