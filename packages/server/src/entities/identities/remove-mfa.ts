import type { managementApi } from '@edge-controller/shared-types';
import type { Handlers } from '../../call.ts';

/** Removes the TOTP of an identity. As on the wire it succeeds when there is none, and for an unknown identity. */
export const removeMfa: Handlers<typeof managementApi>['identities']['removeMfa'] = async (
  call,
  { params: { id } },
) => {
  const isRemoved = await call.entities.transaction(async (tx) => {
    const { numDeletedRows } = await tx.deleteFrom('mfas').where('identityId', '=', id).executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await call.outbox.add(tx, { kind: 'changed' });
    return true;
  });
  if (isRemoved) call.events.emit('mfaRemoved', { identityId: id, by: 'administrator' });
  // Also when there was none: who repeats the request after an outage waits for the sessions, too.
  await call.outbox.drain();
};
