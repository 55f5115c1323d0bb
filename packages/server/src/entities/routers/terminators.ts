import { claimInstanceId } from '../../access/service-access/claim-instance-id.ts';
import { tokenHash } from '../../core/secrets/ids.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import type { Caller } from '../dependencies.ts';

/** What is kept of the secret that a request has sent. */
function secretHashOf({ identitySecret }: Readonly<Record<string, unknown>>): string | null {
  return identitySecret ? tokenHash(String(identitySecret)) : null;
}

export const terminators = defineEntity<'terminators', Caller>('terminators', {
  fields: { serviceId: { onDelete: 'cascade' }, routerId: { onDelete: 'cascade' } },

  async prepare({ unit, verb, body }, { serviceId, identity: instanceId, hostId }, previous) {
    if (verb === 'create' && instanceId !== '')
      await claimInstanceId(unit, { serviceId, instanceId, hostId, secretHash: secretHashOf(body) });
    return { serviceId: previous?.serviceId ?? serviceId };
  },

  async written({ unit, verb, body }, { id }) {
    const secretHash = secretHashOf(body);
    if (verb === 'create' && secretHash !== null)
      await unit.tx.insertInto('terminatorSecrets').values({ terminatorId: id, secretHash }).execute();
  },

  async derive({ routerNetwork }, states) {
    const now = performance.now();
    return states.map(({ id }) => ({ dynamicCost: routerNetwork.costs.costOf(id, now) }));
  },
});
