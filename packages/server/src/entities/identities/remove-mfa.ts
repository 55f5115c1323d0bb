import type { managementApi } from '@edge-controller/shared-types';
import type { Handlers } from '../../call.ts';

/** Removes the TOTP of an identity. As in the API, it also succeeds without a TOTP and for an unknown identity. */
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
  // Drain even if there was no TOTP: a client that repeats the request after a 503 must also wait for the session
  // store.
  await call.outbox.drain();
};
