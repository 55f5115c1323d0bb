import type { managementApi } from '@edge-controller/shared-types';
import { missingOf } from '../../crud/references.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { updateEntity } from '../../crud/write.ts';
import type { Handlers, SessionCall } from '../dependencies.ts';

type Signers = Handlers<typeof managementApi>['externalJwtSigners'];
interface Input {
  readonly params: { readonly id: string };
  readonly body: { readonly enrollAuthPolicyId?: string | null | undefined };
}

/**
 * Changes of a signer. They lock the auth policy of its enrollments before the signer: a change of a policy locks the
 * policy before the signers that it names, and another order could deadlock.
 */
export const signerChanges: Pick<Signers, 'update' | 'patch'> = {
  update: (call, input) => change(call, 'update', input),
  patch: (call, input) => change(call, 'patch', input),
};

function change(call: SessionCall, verb: 'update' | 'patch', { params: { id }, body }: Input): Promise<void> {
  const sent = body.enrollAuthPolicyId ?? (verb === 'update' ? 'default' : null);
  return inUnitOfWork(call, async (unit) => {
    if (sent !== null) await missingOf(unit, 'authPolicies', [sent || 'default']);
    await updateEntity(unit, 'externalJwtSigners', { verb, id, body });
  });
}
