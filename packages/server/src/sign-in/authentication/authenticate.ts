import type { Authenticate, AuthenticationMethod, clientApi } from '@edge-controller/shared-types';
import { firstPostureData } from '../../access/posture/posture-data.ts';
import { ApiError } from '../../core/api-error.ts';
import { secretToken, sessionId, tokenHash } from '../../core/secrets/ids.ts';
import { secondaryChallenge } from '../../credentials/external-jwt/challenges.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { setFields } from '../../crud/write.ts';
import { configTypeIds } from '../../entities/network-services/config-type-ids.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import { endSurplus } from '../../sessions/end-surplus.ts';
import { latestEnd } from '../../sessions/principals.ts';
import { currentApiSessionDetail } from '../../sessions/session-detail.ts';
import { evaluateForRequest } from '../../sessions/sessions.ts';
import { lockIdentity } from '../../storage/entity-store/locks/lock-identity.ts';
import { findCredentialVersion } from '../../storage/revocation/credentials.ts';
import type { ApiSessionRecord } from '../../storage/session-store/session-store.ts';
import type { AuthenticationCall, Handlers } from './dependencies.ts';
import type { AuthenticationResult, CertificateFacts, SignerFacts } from './method.ts';
import { methods } from './methods/index.ts';
import { answerMfa } from './queries/totp/answer-mfa.ts';

const withoutCertificate: CertificateFacts = {
  caId: null,
  caVersion: 0,
  isCertExtendable: false,
  improperClientCertChain: false,
};

const withoutSigner: SignerFacts = { signerId: null, signerVersion: 0 };

export const authentication: Handlers<typeof clientApi>['authentication'] = {
  async authenticate(call, { query: { method }, body }) {
    const { knownVersion } = call.principals;
    const result = await methods[method](call, body);
    await saveClientInfo(call, result.identityId, body);
    const session = await openSession(call, { method, result, knownVersion, body });
    await publishSignIn(call, method, session);
    return detailOf(call, session);
  },

  mfa: answerMfa,
};

/** Nobody gets the token of a session whose beginning could not be recorded, or that is one too many. */
async function publishSignIn(
  call: AuthenticationCall,
  method: AuthenticationMethod,
  session: ActiveSession,
): Promise<void> {
  const { id: apiSessionId, identityId } = session.stored;
  const payload = { identityId, apiSessionId, method, ipAddress: call.clientAddress };
  try {
    await call.audit.publish(call, 'authentication.succeeded', payload);
    await endSurplus(call, session);
  } catch (error) {
    await call.sessions.remove(session.stored);
    throw error;
  }
}

interface SignIn {
  readonly method: AuthenticationMethod;
  readonly result: AuthenticationResult;
  readonly body: Authenticate;
  /** The last known version of the entities when the sign-in began, before the method read any entity. */
  readonly knownVersion: string | null;
}

async function openSession(
  call: AuthenticationCall,
  { method, result, body, knownVersion }: SignIn,
): Promise<ActiveSession> {
  const credentialVersion = result.credentialVersion ?? (await findCredentialVersion(call.database.db, result));
  if (credentialVersion === null) throw await refused(call, method, result);
  const token = secretToken();
  const id = sessionId(call.clock());
  const now = call.clock();
  const maxLifetime = call.settings.maxSessionLifetime;
  const hash = tokenHash(token);
  const key = { id, tokenHash: hash, identityId: result.identityId };
  const record: ApiSessionRecord = {
    ...key,
    sealedToken: call.sealer.seal(token, id),
    authenticatorId: result.authenticatorId,
    credentialVersion,
    method,
    ipAddress: call.clientAddress,
    configTypes: await configTypeIds(call, body.configTypes ?? []),
    createdAt: now,
    updatedAt: now,
    ...(result.certificate ?? withoutCertificate),
    ...(result.signer ?? withoutSigner),
    isMfaRequired: false,
    isMfaComplete: false,
    mfaId: null,
    mfaPassedAt: null,
    usesRouters: false,
    tokenReadBy: null,
    endsAt: latestEnd({ createdAt: now, endsAt: result.endsAt ?? null }, { policy: result.policy, maxLifetime }),
  };
  const { session: stored, version } = await call.sessions.create(record, {
    certificates: result.certificates ?? [],
    ...firstPostureData(body.sdkInfo),
  });
  // A concurrent request may delete or disable the identity and miss this new session, so check again. If the version
  // is unchanged, no concurrent request has collected sessions yet, and it will find this one by its credential
  // version. That version must have been read together with the proof: one that was read later may be newer than the
  // proof.
  const isUnchanged = version === knownVersion && typeof result.credentialVersion === 'number';
  const isStillValid = isUnchanged || (await result.isStillValid(version));
  const principal = isStillValid ? await call.principals.getOfNew(stored, version) : null;
  const state = principal
    ? await evaluateForRequest(call, { stored, version, principal, credentials: call.credentials })
    : null;
  if (!principal || !state?.isAllowed) {
    // Nobody has its token, so it only has to disappear.
    await call.sessions.remove(key);
    throw await refused(call, method, result);
  }
  // The first touch replaces the stored object.
  return { stored, record: stored, token, principal, state };
}

/** The error for valid credentials that were changed or removed during the sign-in. */
async function refused(
  call: AuthenticationCall,
  method: AuthenticationMethod,
  { identityId, signer }: AuthenticationResult,
): Promise<ApiError> {
  const failure = { method, reason: 'changed meanwhile', ipAddress: call.clientAddress, identityId };
  await call.audit.publish(call, 'authentication.failed', failure);
  return new ApiError(signer ? 'UNAUTHORIZED' : 'INVALID_AUTH');
}

/** Stores `envInfo` and `sdkInfo`. Each replaces the stored object. When one is missing, the stored object stays. */
async function saveClientInfo(call: AuthenticationCall, identityId: string, { envInfo, sdkInfo }: Authenticate) {
  const sent = { ...(envInfo && { envInfo }), ...(sdkInfo && { sdkInfo }) };
  if (Object.keys(sent).length === 0) return;
  const { database } = call;
  const stored = await database.db
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
    if (await lockIdentity(database, unit.tx, identityId)) await setFields(unit, 'identities', identityId, () => sent);
  });
}

function detailOf({ settings, setHeader, pki }: AuthenticationCall, session: ActiveSession) {
  for (const header of settings.sessionHeaders) setHeader(header, session.token);
  const { secondaryJwt } = session.state;
  if (secondaryJwt?.error) setHeader('WWW-Authenticate', secondaryChallenge(secondaryJwt.error, secondaryJwt.signer));
  const detail = currentApiSessionDetail(session, settings.sessionTimeout).whole();
  setHeader('expiration-seconds', String(detail.expirationSeconds));
  const { expiresAt, lastActivityAt } = session.stored;
  setHeader('svc-session-expires-in', String((expiresAt - lastActivityAt) / 1_000));
  if (detail.isCertExtendRequested) setHeader('ziti-authenticator-extend-requested', 'true');
  // Clients built on the C SDK end when they dial without it. They send their posture data again when it is another one,
  // and all controllers of a network have the same data.
  setHeader('ziti-instance-id', pki.trustDomain);
  setHeader('expires-at', detail.expiresAt.replace('T', ' ').replace('Z', ' +0000 UTC'));
  return detail;
}
