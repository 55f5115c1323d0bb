import type { clientApi, managementApi, SessionDetail } from '@edge-controller/shared-types';
import { notFound } from '../../core/api-error.ts';
import { mapPage } from '../../core/filter/map-page.ts';
import type { Page, Query } from '../../core/filter/page.ts';
import { askForRouters } from '../../credentials/rights/ask-for-routers.ts';
import { requireRightsOf } from '../../credentials/rights/higher-identities.ts';
import type { StoredServiceSession } from '../../storage/session-store/service-sessions.ts';
import { createSession } from './create-session.ts';
import type { Handlers, SessionCall } from './dependencies.ts';
import type { JudgedServiceSession } from './service-sessions.ts';
import { sessionDetail } from './session-detail.ts';

/** Whose sessions the caller has on the Client API. `undefined`: an administrator has those of all. */
function ownerOf({ session: { principal } }: SessionCall): string | undefined {
  return principal.isAdmin ? undefined : principal.id;
}

/** The sessions of the caller, on the Client API. */
export const clientSessions: Handlers<typeof clientApi>['sessions'] = {
  create: createSession,

  async list(call, { query }) {
    await askForRouters(call);
    return await list(call, query, ownerOf(call));
  },

  async get(call, { params: { id } }) {
    await askForRouters(call);
    return await sessionDetail(call, await validSession(call, id, ownerOf(call)));
  },

  async delete(call, { params: { id } }) {
    const { session } = await validSession(call, id, ownerOf(call));
    await end(call, session, session.apiSession.identityId === call.session.principal.id ? 'owner' : 'administrator');
  },
};

/** The sessions of all identities, on the Management API. */
export const sessions: Handlers<typeof managementApi>['sessions'] = {
  list: (call, { query }) => list(call, query),

  get: async (call, { params: { id } }) => sessionDetail(call, await validSession(call, id)),

  async delete(call, { params: { id } }) {
    const { session } = await validSession(call, id);
    await requireRightsOf(call.database.db, call.session.principal, session.apiSession.identityId);
    await end(call, session, 'administrator');
  },

  // There are no circuits yet.
  routePath: async () => ({ routePath: [] }),
};

async function list(call: SessionCall, query: Query, ownerId?: string): Promise<Page<SessionDetail>> {
  const page = await call.sessions.serviceSessions.list(query, ownerId);
  return mapPage(page, async (rows) => {
    const live = await call.serviceSessions.validate(rows);
    return await Promise.all(live.map((each) => sessionDetail(call, each)));
  });
}

/** @throws ApiError 404 when the session does not live, or belongs to somebody else */
async function validSession(call: SessionCall, id: string, ownerId?: string): Promise<JudgedServiceSession> {
  const found = await call.sessions.serviceSessions.find(id);
  const isOwn = found && (ownerId === undefined || found.apiSession.identityId === ownerId);
  const [live] = await call.serviceSessions.validate(isOwn ? [found] : []);
  if (!live) throw notFound('session', id);
  return live;
}

async function end(call: SessionCall, session: StoredServiceSession, by: 'owner' | 'administrator'): Promise<void> {
  const { session: caller, clientAddress, requestId, serviceSessions } = call;
  if ((await serviceSessions.end([session], { by, session: caller, clientAddress, requestId })) === 0)
    throw notFound('session', session.id);
}
