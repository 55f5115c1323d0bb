import type { Operation } from '@edge-controller/shared-types';
import type { Credentials, Services } from '../call.ts';
import { tokenHash } from '../lib/ids.ts';
import type { LiveApiSession } from '../stores/session-store.ts';
import type { ActiveSession } from './active-session.ts';
import type { AuthState } from './auth-state.ts';
import { authState } from './auth-state.ts';
import { endSession } from './end-session.ts';
import type { Principal } from './principals.ts';

const noSigners: ReadonlySet<string> = new Set();

/**
 * Reads and touches the API session of the session token, and evaluates it with all credentials of the request. Returns
 * `null` when there is no live session, when its primary method is not allowed now, when it has ended although the session
 * store still has it, or when its identity is deleted or disabled. In the last two cases the session is removed.
 */
export async function resolveSession(credentials: Credentials, services: Services): Promise<ActiveSession | null> {
  const { sessionToken: token } = credentials;
  if (token === null) return null;
  const { session: stored, version } = await services.sessions.touch(tokenHash(token));
  if (!stored) return null;
  const principal = await services.principals.get(stored, version);
  if (!principal) {
    await endSession(services, stored);
    return null;
  }
  const state = await evaluateForRequest(services, { stored, principal, credentials });
  return state.isAllowed ? { stored, token, principal, state } : null;
}

/**
 * Evaluates a session with the credentials of a request. `isMfaRequired` and `isMfaComplete` are stored only so that
 * lists can filter by them. The stored values are those of the last request.
 */
export async function evaluateForRequest(
  services: Pick<Services, 'sessions' | 'authQueries' | 'verifyBearerTokens'>,
  { stored, principal, credentials }: { stored: LiveApiSession; principal: Principal; credentials: Credentials },
): Promise<AuthState> {
  const { bearerTokens } = credentials;
  const provenSigners =
    bearerTokens.length === 0 ? noSigners : await services.verifyBearerTokens(bearerTokens, principal);
  const state = evaluate(services, stored, principal, provenSigners);
  const { isMfaRequired, isMfaComplete } = state;
  if (stored.isMfaRequired !== isMfaRequired || stored.isMfaComplete !== isMfaComplete) {
    await services.sessions.update(stored.tokenHash, { isMfaRequired, isMfaComplete });
  }
  return state;
}

/** Evaluates a stored session. Without `provenSigners` no external JWT counts. */
export function evaluate(
  { authQueries }: Pick<Services, 'authQueries'>,
  stored: LiveApiSession,
  { policy, mfaId }: Pick<Principal, 'policy' | 'mfaId'>,
  provenSigners = noSigners,
): AuthState {
  return authState({ method: stored.method, policy, mfaId, provenMfaId: stored.mfaId, provenSigners }, authQueries);
}

/** Whether a session may call an operation. Administrators have all permissions; other identities have none. */
export function allows({ access }: Pick<Operation, 'access' | 'permission'>, session: ActiveSession): boolean {
  const isFull = session.state.authQueries.length === 0;
  return {
    anyone: true,
    partial: true,
    full: isFull,
    admin: isFull && session.principal.isAdmin,
  }[access];
}
