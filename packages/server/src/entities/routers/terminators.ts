import { defineEntity } from '../../crud/define-entity.ts';
import type { Caller } from '../services.ts';

export const terminators = defineEntity<'terminators', Caller>('terminators', {
  fields: { serviceId: { onDelete: 'cascade' }, routerId: { onDelete: 'cascade' } },
  async derive(_, states) {
    return states.map(() => ({ dynamicCost: 0 }));
  },
});
