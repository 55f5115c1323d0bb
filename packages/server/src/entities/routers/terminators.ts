import { defineEntity } from '../../crud/define-entity.ts';
import type { Caller } from '../services.ts';

export const terminators = defineEntity<'terminators', Caller>('terminators', {
  fields: { serviceId: { onDelete: 'cascade' }, routerId: { onDelete: 'cascade' } },

  async prepare(_change, { serviceId }, previous) {
    return { serviceId: previous?.serviceId ?? serviceId };
  },

  async derive(_caller, states) {
    return states.map(() => ({ dynamicCost: 0 }));
  },
});
