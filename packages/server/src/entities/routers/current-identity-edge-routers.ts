import type { CurrentIdentityEdgeRouterDetail, clientApi, EntityData } from '@edge-controller/shared-types';
import { mapPage } from '../../core/filter/map-page.ts';
import { askForRouters } from '../../credentials/rights/ask-for-routers.ts';
import { listEntities } from '../../crud/read-entities.ts';
import { whereTrue } from '../../crud/relations.ts';
import type { Handlers } from '../dependencies.ts';
import { shownRouter, withoutRights } from './shown-router.ts';
import { routersOfIdentity } from './usable-routers.ts';

/** Only what is shown: a filter would reveal the rest. */
const symbols = ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name', 'cost', 'noTraversal', 'disabled'];

/** Where applications find the routers to connect to. */
export const currentIdentityEdgeRouters: Handlers<typeof clientApi>['currentIdentityEdgeRouters'] = {
  async list(call, { query }) {
    const { id, isAdmin } = call.session.principal;
    // Only this list shows all routers to an administrator, as on the wire. To reach a service, administrators need policies.
    const own = isAdmin ? [] : await routersOfIdentity(call, id);
    await askForRouters(call);
    const page = await listEntities(withoutRights(call), 'edgeRouters', query, {
      conditions: [...own, whereTrue('isVerified')],
      symbols,
    });
    return mapPage(page, async (details) => details.map(shown));
  },
};

function shown(detail: EntityData<'edgeRouters'>): CurrentIdentityEdgeRouterDetail {
  const { id, createdAt, updatedAt, tags, _links } = detail;
  return { id, createdAt, updatedAt, tags, _links, ...shownRouter(detail) };
}
