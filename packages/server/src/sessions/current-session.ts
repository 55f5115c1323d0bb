import type { managementApi } from '@edge-controller/shared-types';
import { endSessionBy } from './end-session.ts';
import type { Handlers } from './services.ts';
import { currentApiSessionDetail } from './session-detail.ts';

export const currentApiSession: Handlers<typeof managementApi>['currentApiSession'] = {
  get: async ({ session, settings }) => currentApiSessionDetail(session, settings.sessionTimeout),

  delete: (call) => endSessionBy(call, call.session.stored, 'owner'),
};
