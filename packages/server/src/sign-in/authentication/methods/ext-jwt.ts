import type { ApiErrorCause } from '@edge-controller/shared-types';
import { ApiError } from '../../../core/api-error.ts';
import type { TokenError } from '../../../core/text/challenge.ts';
import { primaryChallenge } from '../../../credentials/external-jwt/challenges.ts';
import type { ProvenIdentity } from '../../../credentials/external-jwt/prove-identity.ts';
import { findHolder, proveIdentity } from '../../../credentials/external-jwt/prove-identity.ts';
import { errorOf, flawOf, worstError } from '../../../credentials/external-jwt/token-report.ts';
import type { TrustedSigner } from '../../../credentials/external-jwt/trusted-signers.ts';
import { keepSigner } from '../../../storage/entity-store/locks/keep-signer.ts';
import { currentVersion } from '../../../storage/session-store/current-version.ts';
import type { AuthenticationCall } from '../dependencies.ts';
import { jwtSessionEnd } from '../jwt-session-end.ts';
import type { AuthenticationMethodHandler, AuthenticationResult } from '../method.ts';
import { addSignInCredential } from '../sign-in-credential.ts';

/** A JWT of an external signer in `Authorization`. Of several tokens, the first one counts that may sign in an identity. */
export const extJwt: AuthenticationMethodHandler = async (call) => {
  const version = await currentVersion(call.sessions);
  const signers = await call.externalJwts.enabled(version);
  if (signers.length === 0) throw await refused(call, 'no external JWT signer is enabled');
  const errors: TokenError[] = [];
  let flaw: ApiErrorCause | null = null;
  for (const token of call.credentials.bearerTokens) {
    const proof = await proveIdentity(call, token, { version });
    if (proof.holder) return await signInOf(call, proof);
    await call.externalJwts.recordRefusal(call, 'primary', proof);
    errors.push(errorOf(proof) ?? 'missing');
    flaw ??= flawOf(proof);
  }
  throw await refused(call, 'no token that signs in', { error: worstError(errors), flaw, signers });
};

async function signInOf(
  call: AuthenticationCall,
  { holder, signer, subject, claims }: ProvenIdentity,
): Promise<AuthenticationResult> {
  const { identityId, authenticatorId, credentialVersion, policy } = holder;
  if (credentialVersion === null) {
    await addSignInCredential(call, holder, (tx) => keepSigner(call.database, tx, signer));
  }
  return {
    ...{ identityId, authenticatorId, credentialVersion, policy },
    signer: { signerId: signer.id, signerVersion: signer.authVersion },
    endsAt: jwtSessionEnd({ signer, claims }, call.settings.jwtClockTolerance),
    // Everything else is evaluated again with the stored session.
    isStillValid: async (version) =>
      (await call.externalJwts.isUnchanged(signer, version)) &&
      (await findHolder(call, signer, subject))?.identityId === identityId,
  };
}

interface Refusal {
  readonly error: TokenError;
  readonly flaw: ApiErrorCause | null;
  readonly signers: readonly TrustedSigner[];
}

async function refused(call: AuthenticationCall, reason: string, refusal?: Refusal): Promise<ApiError> {
  const failure = { method: 'ext-jwt', reason, ipAddress: call.clientAddress } as const;
  await call.audit.publish(call, 'authentication.failed', failure);
  if (!refusal) return new ApiError('UNAUTHORIZED');
  const { error, flaw, signers } = refusal;
  const headers = { 'WWW-Authenticate': primaryChallenge(error, signers) };
  return new ApiError('UNAUTHORIZED', { headers, ...(flaw && { cause: flaw }) });
}
