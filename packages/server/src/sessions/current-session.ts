import type { managementApi } from '@edge-controller/shared-types';
import { endSessionBy } from './end-session.ts';
import type { Handlers } from './services.ts';
import { currentApiSessionDetail } from './session-detail.ts';

export const currentApiSession: Handlers<typeof managementApi>['currentApiSession'] = {
  async get({ session, settings, clock, setHeader }) {
    // `expiresAt` has a clock of its own. What is left needs none.
    setHeader('svc-session-expires-in', String(Math.max(0, session.stored.expiresAt - clock()) / 1_000));
    return currentApiSessionDetail(session, settings.sessionTimeout);
  },

  delete: (call) => endSessionBy(call, call.session.stored, 'owner'),
};
