import { defineEntity } from '../../crud/define-entity.ts';
import type { Caller } from '../services.ts';

export const terminators = defineEntity<'terminators', Caller>('terminators', {
  fields: { serviceId: { onDelete: 'cascade' }, routerId: { onDelete: 'cascade' } },

  async prepare(_change, { serviceId }, previous) {
    return { serviceId: previous?.serviceId ?? serviceId };
  },

  async derive({ routerNetwork }, states) {
    const now = performance.now();
    return states.map(({ id }) => ({ dynamicCost: routerNetwork.costs.costOf(id, now) }));
  },
});
