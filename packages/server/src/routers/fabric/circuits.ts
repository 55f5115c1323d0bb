import type { CircuitDetail, managementApi } from '@edge-controller/shared-types';
import { notFound } from '../../core/api-error.ts';
import type { FilterFields } from '../../core/filter/page.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { CircuitView } from '../../network/router-connections/network-view.ts';
import type { Dependencies, Handlers } from './dependencies.ts';
import { listViews } from './list-views.ts';
import { readNames, referenceTo } from './references.ts';

const fields: FilterFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  updatedAt: { column: 'updatedAt', type: 'datetime' },
  clientId: { column: 'clientId', type: 'string' },
  service: { column: 'serviceId', type: 'string' },
  terminator: { column: 'terminatorId', type: 'string' },
};

export const circuits: Handlers<typeof managementApi>['circuits'] = {
  list: async (call, { query }) =>
    listViews({
      views: await call.network.circuits(),
      ...{ query, fields },
      rowOf: (circuit) => ({ ...circuit }),
      details: (some) => details(call, some),
    }),

  async get(call, { params: { id } }) {
    const circuit = await call.network.circuit(id);
    const [detail] = await details(call, circuit ? [circuit] : []);
    if (!detail) throw notFound('circuit', id);
    return detail;
  },
};

async function details(dependencies: Dependencies, some: readonly CircuitView[]): Promise<CircuitDetail[]> {
  const [nameOfRouter, nameOfService] = await Promise.all([
    readNames(
      dependencies,
      'transitRouters',
      some.flatMap(({ path }) => path.routers),
    ),
    readNames(
      dependencies,
      'services',
      some.map(({ serviceId }) => serviceId),
    ),
  ]);
  return some.map(({ id, clientId, hostId, serviceId, terminatorId, path, createdAt, updatedAt }) => ({
    ...{ id, clientId, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) },
    tags: { serviceId, clientId, ...(hostId !== null && { hostId }) },
    _links: { self: { href: `./circuits/${id}` } },
    service: referenceTo('services', serviceId, nameOfService(serviceId)),
    terminator: referenceTo('terminators', terminatorId),
    path: {
      nodes: path.routers.map((routerId) => referenceTo('routers', routerId, nameOfRouter(routerId))),
      links: path.links.map((linkId) => referenceTo('links', linkId)),
    },
  }));
}
