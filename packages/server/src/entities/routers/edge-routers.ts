import { defineEntity } from '../../crud/define-entity.ts';
import { checkConfigs } from '../check-configs.ts';
import type { Caller } from '../services.ts';
import { shownConnection } from './router-connection.ts';
import { addRouterEnrollment, readRouterEnrollments } from './router-enrollments.ts';
import { keepTransitRouter, removeTransitRouter } from './same-transit-router.ts';
import { keepSystemIdentity, removeSystemIdentity } from './system-identity.ts';

export const edgeRouters = defineEntity<'edgeRouters', Caller>('edgeRouters', {
  id: 'short',

  async prepare({ unit, verb }, { configs }) {
    if (verb !== 'set') await checkConfigs(unit, 'router', configs);
    return {};
  },

  async written(change, next, previous) {
    await keepTransitRouter(change, next, previous);
    await keepSystemIdentity(change.unit, next, previous);
    if (change.verb === 'create') await addRouterEnrollment(change.unit, { edgeRouterId: next.id });
  },

  async beforeDelete({ unit }, { id, isTunnelerEnabled }) {
    if (isTunnelerEnabled) await removeSystemIdentity(unit, id);
    await removeTransitRouter(unit, id);
  },

  async derive(services, routers) {
    const { routerNetwork } = services;
    const enrollments = await readRouterEnrollments(services, 'edgeRouterId', routers);
    await routerNetwork.refresh();
    return routers.map(({ id }) => ({ ...shownConnection(routerNetwork, id), ...enrollments.get(id) }));
  },
});
