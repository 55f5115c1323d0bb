import type { ApiSessionDetail, CurrentApiSessionDetail } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import { isoTime } from '../core/time/clock.ts';
import { SplitResponse } from '../core/turns/split-response.ts';
import { entityRefOf } from '../crud/links.ts';
import type { ApiSessionRecord, LiveApiSession } from '../storage/session-store/session-store.ts';
import type { ActiveSession } from './active-session.ts';
import type { AuthState } from './auth-state.ts';
import type { Principal } from './load-principals.ts';

interface View {
  readonly stored: LiveApiSession;
  readonly token: string;
  readonly principal: Pick<Principal, 'id' | 'name' | 'authPolicyId' | 'credentials'>;
  readonly state: AuthState;
}

/** An API session as the Management API shows it. */
export function apiSessionDetail(view: View): ApiSessionDetail {
  return { ...constantPart(view), ...changingPart(view) };
}

/** The caller's own API session. `timeout` is in milliseconds. */
export function currentApiSessionDetail(
  session: ActiveSession,
  timeout: number,
): SplitResponse<CurrentApiSessionDetail> {
  const { endsAt, expiresAt, lastActivityAt } = session.stored;
  const life = endsAt === null ? timeout : Math.min(timeout, endsAt - lastActivityAt);
  return SplitResponse.of(constantPartOf(session), {
    ...changingPart(session),
    expirationSeconds: Math.floor(life / 1_000),
    expiresAt: isoTime(expiresAt),
    ...(endsAt !== null && { endsAt: isoTime(endsAt) }),
  });
}

interface ConstantPart {
  readonly principal: Principal;
  readonly members: ReturnType<typeof constantPart>;
}

/** By the record of an API session: another record or another principal makes another part. */
const constantParts = new WeakMap<ApiSessionRecord, ConstantPart>();

function constantPartOf(session: ActiveSession): ConstantPart['members'] {
  const { record, principal } = session;
  const known = constantParts.get(record);
  if (known?.principal === principal) return known.members;
  const members = constantPart(session);
  constantParts.set(record, { principal, members });
  return members;
}

/** What an API session shows that comes from its record, its token and its principal alone. */
function constantPart({ stored, token, principal }: Omit<View, 'state'>) {
  const self = `./api-sessions/${stored.id}`;
  const credential = principal.credentials.get(stored.authenticatorId);
  return {
    _links: { self: { href: self }, sessions: { href: `${self}/sessions` } },
    createdAt: isoTime(stored.createdAt),
    id: stored.id,
    tags: {},
    updatedAt: isoTime(stored.updatedAt),
    authenticatorId: stored.authenticatorId,
    configTypes: [...stored.configTypes],
    identity: entityRefOf(contracts.identities, principal),
    identityId: stored.identityId,
    ipAddress: stored.ipAddress,
    // Sessions of an older version have no such members.
    isCertExtendable: stored.isCertExtendable === true,
    ...(credential?.isExtendRequested && { isCertExtendRequested: true }),
    ...(credential?.isKeyRollRequested && { isCertKeyRollRequested: true }),
    ...(stored.improperClientCertChain && { improperClientCertChain: true }),
    token,
  };
}

/** What may be another thing at each request. */
function changingPart({ stored, state }: Pick<View, 'stored' | 'state'>) {
  const lastActivityAt = isoTime(stored.lastActivityAt);
  return {
    authQueries: [...state.authQueries],
    cachedLastActivityAt: lastActivityAt,
    isMfaComplete: state.isMfaComplete,
    isMfaRequired: state.isMfaRequired,
    lastActivityAt,
  };
}
