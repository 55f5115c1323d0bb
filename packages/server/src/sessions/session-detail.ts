import type { ApiSessionDetail, CurrentApiSessionDetail } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import { entityRefOf } from '../crud/links.ts';
import { isoTime } from '../lib/clock.ts';
import type { LiveApiSession } from '../stores/session-store.ts';
import type { ActiveSession } from './active-session.ts';
import type { AuthState } from './auth-state.ts';
import type { Principal } from './principals.ts';

interface View {
  readonly stored: LiveApiSession;
  readonly token: string;
  readonly principal: Pick<Principal, 'id' | 'name' | 'authPolicyId' | 'credentials'>;
  readonly state: AuthState;
}

/** An API session as the Management API shows it. */
export function apiSessionDetail({ stored, token, principal, state }: View): ApiSessionDetail {
  const self = `./api-sessions/${stored.id}`;
  const lastActivityAt = isoTime(stored.lastActivityAt);
  const credential = principal.credentials.get(stored.authenticatorId);
  return {
    _links: { self: { href: self }, sessions: { href: `${self}/sessions` } },
    createdAt: isoTime(stored.createdAt),
    id: stored.id,
    tags: {},
    updatedAt: isoTime(stored.updatedAt),
    authQueries: [...state.authQueries],
    authenticatorId: stored.authenticatorId,
    cachedLastActivityAt: lastActivityAt,
    configTypes: [...stored.configTypes],
    identity: entityRefOf(contracts.identities, principal),
    identityId: stored.identityId,
    ipAddress: stored.ipAddress,
    // Sessions of an older version have no such members.
    isCertExtendable: stored.isCertExtendable === true,
    ...(credential?.isExtendRequested && { isCertExtendRequested: true }),
    ...(credential?.isKeyRollRequested && { isCertKeyRollRequested: true }),
    ...(stored.improperClientCertChain && { improperClientCertChain: true }),
    isMfaComplete: state.isMfaComplete,
    isMfaRequired: state.isMfaRequired,
    lastActivityAt,
    token,
  };
}

/** The caller's own API session. `timeout` is in milliseconds. */
export function currentApiSessionDetail(session: ActiveSession, timeout: number): CurrentApiSessionDetail {
  return {
    ...apiSessionDetail(session),
    expirationSeconds: Math.floor(timeout / 1_000),
    expiresAt: isoTime(session.stored.expiresAt),
  };
}
