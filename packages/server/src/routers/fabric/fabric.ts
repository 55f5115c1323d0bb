import type { EntityData, fabricApi } from '@edge-controller/shared-types';
import { mapPage } from '../../core/filter/map-page.ts';
import { getEntity, listEntities } from '../../crud/read-entities.ts';
import { circuits } from './circuits.ts';
import type { Handlers } from './dependencies.ts';
import { links } from './links.ts';

/** What is below `/fabric/v1`: reads of the Management API, with the names of members that existing tools read. */
export const fabric: Handlers<typeof fabricApi> = {
  circuits,
  links,
  routers: {
    list: async (call, { query }) =>
      mapPage(await listEntities(call, 'transitRouters', query), async (routers) => routers.map(shownRouter)),
    get: async (call, { params: { id } }) => shownRouter(await getEntity(call, 'transitRouters', id)),
  },
  terminators: {
    list: async (call, { query }) =>
      mapPage(await listEntities(call, 'terminators', query), async (some) => some.map(shownTerminator)),
    get: async (call, { params: { id } }) => shownTerminator(await getEntity(call, 'terminators', id)),
  },
};

function shownRouter(router: EntityData<'transitRouters'>): EntityData<'transitRouters'> & { connected: boolean } {
  return { ...router, connected: router.isOnline };
}

function shownTerminator(terminator: EntityData<'terminators'>): EntityData<'terminators'> & { instanceId: string } {
  return { ...terminator, instanceId: terminator.identity };
}
