import { defineEntity } from '../../crud/define-entity.ts';
import { checkConfigs } from '../check-configs.ts';
import type { Caller } from '../dependencies.ts';
import { shownConnection } from './router-connection.ts';
import { addRouterEnrollment, readRouterEnrollments } from './router-enrollments.ts';
import { refuseEdgeRouter } from './same-transit-router.ts';

export const transitRouters = defineEntity<'transitRouters', Caller>('transitRouters', {
  id: 'short',

  async prepare({ unit, verb }, { id, configs }) {
    if (verb === 'update' || verb === 'patch') await refuseEdgeRouter(unit, id);
    if (verb !== 'set') await checkConfigs(unit, 'router', configs);
    return {};
  },

  async written({ unit, verb }, { id }) {
    if (verb === 'create') await addRouterEnrollment(unit, { transitRouterId: id });
  },

  async beforeDelete({ unit }, { id }) {
    await refuseEdgeRouter(unit, id);
  },

  async derive(dependencies, routers) {
    const { routerNetwork } = dependencies;
    const enrollments = await readRouterEnrollments(dependencies, 'transitRouterId', routers);
    await routerNetwork.refresh();
    return routers.map(({ id }) => {
      const { isOnline, interfaces } = shownConnection(routerNetwork, id);
      return { isOnline, interfaces, ...enrollments.get(id) };
    });
  },
});
