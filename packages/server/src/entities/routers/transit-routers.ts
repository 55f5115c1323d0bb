import { defineEntity } from '../../crud/define-entity.ts';
import type { Caller } from '../services.ts';

export const transitRouters = defineEntity<'transitRouters', Caller>('transitRouters', {
  id: 'short',
  async derive(_, states) {
    return states.map(() => ({ isOnline: false, interfaces: null }));
  },
});
