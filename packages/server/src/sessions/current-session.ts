import type { managementApi } from '@edge-controller/shared-types';
import type { Handlers } from '../call.ts';
import { currentApiSessionDetail } from './session-detail.ts';

export const currentApiSession: Handlers<typeof managementApi>['currentApiSession'] = {
  get: async ({ session, settings }) => currentApiSessionDetail(session, settings.sessionTimeout),

  async delete({ session, sessions, events }) {
    if (await sessions.remove(session.stored.id)) {
      events.emit('apiSessionRemoved', {
        apiSessionId: session.stored.id,
        identityId: session.principal.id,
        by: 'owner',
      });
    }
  },
};
