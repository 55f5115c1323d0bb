import { defineEntity } from '../../crud/define-entity.ts';
import type { Caller } from '../services.ts';

/** While no router is connected. */
const offline = {
  hostname: '',
  supportedProtocols: {},
  syncStatus: 'SYNC_UNKNOWN',
  versionInfo: { version: '', revision: '', buildDate: '', os: '', arch: '' },
};

export const edgeRouters = defineEntity<'edgeRouters', Caller>('edgeRouters', {
  id: 'short',
  async derive(_, states) {
    return states.map(() => ({ ...offline, isOnline: false, interfaces: null }));
  },
});
