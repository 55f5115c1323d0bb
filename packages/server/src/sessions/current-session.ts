import type { managementApi } from '@edge-controller/shared-types';
import type { Handlers, SessionCall } from './dependencies.ts';
import { endSessionBy } from './end-session.ts';
import { currentApiSessionDetail } from './session-detail.ts';

export const currentApiSession: Handlers<typeof managementApi>['currentApiSession'] = {
  async get(call) {
    showTimeLeft(call);
    return currentApiSessionDetail(call.session, call.settings.sessionTimeout);
  },

  delete: (call) => endSessionBy(call, call.session.stored, 'owner'),
};

/** Adds the header with the seconds until the API session ends. `expiresAt` has a clock of its own. What is left needs none. */
export function showTimeLeft({
  session,
  clock,
  setHeader,
}: Pick<SessionCall, 'session' | 'clock' | 'setHeader'>): void {
  setHeader('svc-session-expires-in', String(Math.max(0, session.stored.expiresAt - clock()) / 1_000));
}
