import type { Authenticate, AuthenticationMethod, clientApi } from '@edge-controller/shared-types';
import { ApiError } from '../api-error.ts';
import type { Call, Handlers } from '../call.ts';
import { inUnitOfWork } from '../crud/unit-of-work.ts';
import { setFields } from '../crud/write.ts';
import { secretToken, sessionId, tokenHash } from '../lib/ids.ts';
import type { ActiveSession } from '../sessions/active-session.ts';
import { currentApiSessionDetail } from '../sessions/session-detail.ts';
import { evaluateForRequest } from '../sessions/sessions.ts';
import { lockIdentity } from '../stores/lock-identity.ts';
import type { AuthenticationResult } from './method.ts';
import { methods } from './methods/index.ts';
import { answerMfa } from './queries/totp/answer-mfa.ts';

export const authentication: Handlers<typeof clientApi>['authentication'] = {
  async authenticate(call, { query: { method }, body }) {
    const result = await methods[method](call, body);
    await saveClientInfo(call, result.identityId, body);
    const session = await openSession(call, method, result, body.configTypes ?? []);
    const { principal, stored } = session;
    call.events.emit('authenticated', {
      identityId: principal.id,
      apiSessionId: stored.id,
      method,
      ipAddress: call.clientAddress,
    });
    return detailOf(call, session);
  },

  mfa: answerMfa,
};

async function openSession(
  call: Call,
  method: AuthenticationMethod,
  result: AuthenticationResult,
  configTypes: readonly string[],
): Promise<ActiveSession> {
  const token = secretToken();
  const id = sessionId();
  const now = call.clock();
  const hash = tokenHash(token);
  await call.sessions.create({
    id,
    tokenHash: hash,
    sealedToken: call.sealer.seal(token, id),
    identityId: result.identityId,
    authenticatorId: result.authenticatorId,
    method,
    ipAddress: call.clientAddress,
    // This controller has no config types. The wire ignores unknown names.
    configTypes: configTypes.includes('all') ? ['all'] : [],
    createdAt: now,
    updatedAt: now,
    isMfaRequired: false,
    isMfaComplete: false,
    mfaId: null,
  });
  // A concurrent request that deletes or disables the identity may not see this new session. So check again.
  const { session: stored, version } = await call.sessions.touch(hash);
  const principal =
    stored && (await result.isStillValid()) ? await call.principals.get(stored.identityId, version) : null;
  const state =
    stored && principal ? await evaluateForRequest(call, { stored, principal, credentials: call.credentials }) : null;
  if (!stored || !principal || !state?.isAllowed) {
    await call.sessions.remove(id);
    const { identityId } = result;
    const failure = { method, reason: 'changed meanwhile', ipAddress: call.clientAddress, identityId };
    call.events.emit('authenticationFailed', failure);
    throw new ApiError('INVALID_AUTH');
  }
  return { stored, token, principal, state };
}

/** Stores `envInfo` and `sdkInfo`. Each replaces the stored object. When one is missing, the stored object stays. */
async function saveClientInfo(call: Call, identityId: string, { envInfo, sdkInfo }: Authenticate) {
  const sent = { ...(envInfo && { envInfo }), ...(sdkInfo && { sdkInfo }) };
  if (Object.keys(sent).length === 0) return;
  const { entities } = call;
  const stored = await entities.db
    .selectFrom('identities')
    .select(['envInfo', 'sdkInfo'])
    .where('id', '=', identityId)
    .executeTakeFirst();
  const isNew = Object.entries(sent).some(
    ([name, value]) => stored?.[name as keyof typeof sent] !== JSON.stringify(value),
  );
  if (!stored || !isNew) return;
  await inUnitOfWork(call, async (unit) => {
    // The identity may have been deleted meanwhile.
    if (await lockIdentity(entities, unit.tx, identityId)) await setFields(unit, 'identities', identityId, () => sent);
  });
}

function detailOf({ settings, setHeader }: Call, session: ActiveSession) {
  for (const header of settings.sessionHeaders) setHeader(header, session.token);
  const detail = currentApiSessionDetail(session, settings.sessionTimeout);
  setHeader('expiration-seconds', String(detail.expirationSeconds));
  setHeader('expires-at', detail.expiresAt.replace('T', ' ').replace('Z', ' +0000 UTC'));
  return detail;
}
