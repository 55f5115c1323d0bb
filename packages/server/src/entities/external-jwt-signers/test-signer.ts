import type { managementApi } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import { notFound } from '../../core/api-error.ts';
import { proveIdentity } from '../../credentials/external-jwt/prove-identity.ts';
import { enabledCheck } from '../../credentials/external-jwt/token-checks.ts';
import { entityRefOf } from '../../crud/links.ts';
import { currentVersion } from '../../storage/session-store/current-version.ts';
import type { Handlers } from '../dependencies.ts';

/** Says what a sign-in with a token of a signer would find. Nobody is signed in. */
export const testSigner: Handlers<typeof managementApi>['externalJwtSigners']['test'] = async (
  call,
  { params: { id: signerId }, body },
) => {
  const version = await currentVersion(call.sessions);
  const signer = await call.externalJwts.find(signerId, version);
  if (!signer) throw notFound('externalJwtSigner', signerId);
  const { checks, holder } = await proveIdentity(call, body.token, { version, signerId, allowDisabled: true });
  return {
    isAccepted: holder !== null && signer.enabled,
    checks: [...checks, enabledCheck(signer)],
    ...(holder && { identity: entityRefOf(contracts.identities, { id: holder.identityId, name: holder.name }) }),
  };
};
