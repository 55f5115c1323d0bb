import type { ApiSessionDetail, clientApi } from '@edge-controller/shared-types';
import { notFound } from '../core/api-error.ts';
import { mapPage } from '../core/filter/map-page.ts';
import { inUnitOfWork } from '../crud/unit-of-work.ts';
import type { LiveApiSession } from '../storage/session-store/session-store.ts';
import type { Handlers, SessionCall } from './dependencies.ts';
import { endSessionBy } from './end-session.ts';
import { apiSessionDetail } from './session-detail.ts';
import { evaluate } from './sessions.ts';

/** Handlers of `/current-identity/api-sessions`. API sessions of other identities are not found. */
export const currentIdentityApiSessions: Handlers<typeof clientApi>['currentIdentityApiSessions'] = {
  async list(call, { query }) {
    const page = await call.sessions.list(query, { identityId: call.session.principal.id });
    return mapPage(page, async (rows) => rows.map((stored) => shown(call, stored)));
  },

  get: async (call, { params: { id } }) => shown(call, await findOwn(call, id)),

  async delete(call, { params: { id } }) {
    if (!(await endSessionBy(call, await findOwn(call, id), 'owner'))) throw notFound('apiSession', id);
  },

  endOthers: (call) =>
    inUnitOfWork(call, async (unit) => {
      const { principal, stored } = call.session;
      await unit.affect({ kind: 'endSessions', identityId: principal.id, which: { exceptId: stored.id } });
    }),
};

async function findOwn({ sessions, session: { principal } }: SessionCall, id: string): Promise<LiveApiSession> {
  const stored = await sessions.find(id);
  if (stored?.identityId !== principal.id) throw notFound('apiSession', id);
  return stored;
}

/** Without the token: whoever has taken over one session would take over all. */
function shown(call: SessionCall, stored: LiveApiSession): ApiSessionDetail {
  const { principal } = call.session;
  const detail = apiSessionDetail({ stored, token: '', principal, state: evaluate(call, stored, principal) });
  return { ...detail, _links: { self: { href: `./current-identity/api-sessions/${stored.id}` } } };
}
