import { accessRules } from '../../access/service-access/access-rules.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import { checkConfigs } from '../check-configs.ts';
import type { Caller } from '../dependencies.ts';
import { shownConnection } from './router-connection.ts';
import { addRouterEnrollment, readRouterEnrollments } from './router-enrollments.ts';
import { keepTransitRouter, removeTransitRouter } from './same-transit-router.ts';
import { keepSystemIdentity, removeSystemIdentity } from './system-identity.ts';

export const edgeRouters = defineEntity<'edgeRouters', Caller>('edgeRouters', {
  id: 'short',
  access: accessRules.edgeRouters,
  fields: {
    name: { access: 'cached' },
    cost: { access: 'cached' },
    noTraversal: { access: 'cached' },
    disabled: { access: 'cached' },
    configs: { access: 'none' },
    ctrlChanListeners: { access: 'none' },
    isVerified: { access: 'none' },
    fingerprint: { access: 'none' },
    unverifiedFingerprint: { access: 'none' },
    unverifiedCertPem: { access: 'none' },
    roleAttributes: { access: 'cached' },
    isTunnelerEnabled: { access: 'none' },
    appData: { access: 'none' },
    certPem: { access: 'none' },
  },

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

  async derive(dependencies, routers) {
    const { routerNetwork } = dependencies;
    const enrollments = await readRouterEnrollments(dependencies, 'edgeRouterId', routers);
    await routerNetwork.refresh();
    return routers.map(({ id }) => ({ ...shownConnection(routerNetwork, id), ...enrollments.get(id) }));
  },
});
