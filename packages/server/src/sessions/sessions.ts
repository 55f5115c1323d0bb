import type { Operation } from '@edge-controller/shared-types';
import type { Credentials } from '../core/call.ts';
import { tokenHash } from '../core/secrets/ids.ts';
import type { SecondaryJwt } from '../credentials/external-jwt/secondary-jwt.ts';
import { hasPermission, hasRights } from '../credentials/rights/rights.ts';
import type { LiveApiSession } from '../storage/session-store/session-store.ts';
import type { ActiveSession } from './active-session.ts';
import type { AuthState } from './auth-state.ts';
import { authState } from './auth-state.ts';
import type { Dependencies } from './dependencies.ts';
import { endRefused } from './end-refused.ts';
import { hasOwnCertificate } from './has-own-certificate.ts';
import type { Principal } from './load-principals.ts';
import type { Requirements } from './load-requirements.ts';

/**
 * Reads the API session of the session token, and evaluates it with all credentials of the request. `touch` restarts its
 * timeout, `peek` does not. Returns `null` for a session that does not count now:
 * - The store does not have it.
 * - Its primary method is not allowed now.
 * - It is bound to a certificate that the connection has not proven.
 * - It has ended in SQL or has lived as long as it may, or its identity is deleted or disabled. Then it is removed from the store, too.
 */
export async function resolveSession(
  credentials: Credentials,
  dependencies: Dependencies,
  read: 'touch' | 'peek',
): Promise<ActiveSession | null> {
  const { sessionToken: token } = credentials;
  if (token === null) return null;
  const { session: stored, version } = await dependencies.sessions[read](tokenHash(token));
  if (!stored) return null;
  const { principals } = dependencies;
  const { record } = stored;
  const principal = principals.known(record, version) ?? (await principals.get(record, version));
  if (!principal) {
    await endRefused(dependencies, stored);
    return null;
  }
  const isBound = stored.method === 'cert' && principal.policy.primary.cert.bindSessions;
  if (isBound && !(await hasOwnCertificate(dependencies, stored, credentials))) return null;
  const state = await evaluateForRequest(dependencies, { stored, version, principal, credentials });
  if (!state.isAllowed) return null;
  return { stored: withEnd(stored, principals.endOf(record, principal)), record, token, principal, state };
}

/** The store knows only the limits of the sign-in. */
function withEnd<Session extends LiveApiSession>(stored: Session, end: number | null): Session {
  return end === stored.endsAt
    ? stored
    : { ...stored, endsAt: end, expiresAt: Math.min(end ?? Number.POSITIVE_INFINITY, stored.expiresAt) };
}

/**
 * Evaluates a session with the credentials of a request. `isMfaRequired` and `isMfaComplete` are stored only so that
 * lists can filter by them. The stored values are those of the last request.
 */
export async function evaluateForRequest(
  dependencies: Pick<Dependencies, 'sessions' | 'authQueries' | 'externalJwts'>,
  { stored, version, principal, credentials }: Evaluated,
): Promise<AuthState> {
  const signerId = principal.policy.secondary.requireExtJwtSigner;
  const secondaryJwt = signerId
    ? await dependencies.externalJwts.answerQuery(credentials.bearerTokens, { signerId, principal, version })
    : null;
  const state = evaluate(dependencies, stored, principal, secondaryJwt);
  const { isMfaRequired, isMfaComplete } = state;
  if (stored.isMfaRequired !== isMfaRequired || stored.isMfaComplete !== isMfaComplete) {
    await dependencies.sessions.update(stored.tokenHash, { isMfaRequired, isMfaComplete });
  }
  return state;
}

interface Evaluated {
  readonly stored: LiveApiSession;
  /** The version of the entities that came with the session. */
  readonly version: string;
  readonly principal: Principal;
  readonly credentials: Credentials;
}

/** Evaluates a stored session. Without `secondaryJwt` no external JWT counts. */
export function evaluate(
  { authQueries }: Pick<Dependencies, 'authQueries'>,
  stored: Pick<LiveApiSession, 'method' | 'authenticatorId' | 'signerId' | 'mfaId'>,
  principal: Omit<Requirements, 'id'>,
  secondaryJwt: SecondaryJwt | null = null,
): AuthState {
  const { method, authenticatorId, signerId, mfaId: provenMfaId } = stored;
  const { policy, mfaId, isPasswordOfOther } = principal;
  const ofIdentity = { policy, hasRights: hasRights(principal), mfaId, isPasswordOfOther };
  return authState({ method, authenticatorId, signerId, provenMfaId, ...ofIdentity, secondaryJwt }, authQueries);
}

/**
 * Whether a session may call an operation: it is full, where that is needed, or lacks nothing but what the operation answers; and its
 * identity has the permission.
 */
export function allows(
  { access, permission, answers }: Pick<Operation, 'access' | 'permission' | 'answers'>,
  { state, principal }: ActiveSession,
): boolean {
  const isFull = state.authQueries.length === 0;
  if (access === 'admin') return isFull && permission !== undefined && hasPermission(principal, permission);
  return isFull || access !== 'full' || state.authQueries.every(({ typeId }) => typeId === answers);
}
