import type { clientApi, managementApi } from '@edge-controller/shared-types';
import { isoTime } from '../lib/clock.ts';
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

/** What only the Client API has. */
export const clientApiSession: Handlers<typeof clientApi>['currentApiSession'] = {
  ...currentApiSession,

  async serviceUpdates({ session, serviceUpdates }) {
    return { lastChangeAt: isoTime(await serviceUpdates.lastChangeOf(session.principal.id)) };
  },
};
