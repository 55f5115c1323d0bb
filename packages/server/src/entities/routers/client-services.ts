import type { CommonEdgeRouter, clientApi, EntityData, TerminatorClientDetail } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { mapPage } from '../../core/filter/map-page.ts';
import { askForRouters } from '../../credentials/rights/ask-for-routers.ts';
import { listEntities } from '../../crud/read-entities.ts';
import { readRelatedIds, relatedBy } from '../../crud/relations.ts';
import type { Handlers, SessionCall } from '../dependencies.ts';
import { shownRouter, withoutRights } from './shown-router.ts';
import { usableRouters } from './usable-routers.ts';

/** Only what is shown: a filter would reveal the rest. */
const symbols = ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'service', 'service.name', 'router', 'identity'];

/** What is below a service on the Client API. */
export const clientServices: Pick<Handlers<typeof clientApi>['services'], 'edgeRouters' | 'terminators'> = {
  async edgeRouters(call, { params: { id: serviceId }, headers }) {
    const token = headers['session-token'];
    if (token && !(await call.serviceSessions.has(call.session, { token, serviceId }))) {
      const message = 'the session token is of no session of this service';
      throw new ApiError('UNAUTHORIZED', { cause: { code: 'UNHANDLED', message } });
    }
    await requireAccess(call, serviceId);
    await askForRouters(call);
    const conditions = await usableRouters(call, { identityId: call.session.principal.id, serviceId });
    const { batches } = await listEntities(
      withoutRights(call),
      'edgeRouters',
      { limit: -1, sort: 'name' },
      { conditions },
    );
    const edgeRouters: CommonEdgeRouter[] = [];
    for await (const details of batches) edgeRouters.push(...details.map(shownRouter));
    return { edgeRouters };
  },

  async terminators(call, { params: { id: serviceId }, query }) {
    await requireAccess(call, serviceId);
    const conditions = await relatedBy(call, 'terminators', { entity: 'services', id: serviceId });
    const page = await listEntities(call, 'terminators', query, { conditions, symbols });
    return mapPage(page, async (details) => details.map(shownTerminator));
  },
};

/** @throws 404 unless the caller may dial or bind the service */
async function requireAccess(call: SessionCall, serviceId: string): Promise<void> {
  const caller = { entity: 'identities', id: call.session.principal.id } as const;
  const [found] = await readRelatedIds(call, 'services', { ...caller, among: [serviceId] });
  if (found === undefined) throw new ApiError('NOT_FOUND');
}

function shownTerminator(detail: EntityData<'terminators'>): TerminatorClientDetail {
  const { id, createdAt, updatedAt, tags, _links, serviceId, service, routerId, identity } = detail;
  return { id, createdAt, updatedAt, tags, _links, serviceId, service, routerId, identity };
}
