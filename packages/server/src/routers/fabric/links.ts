import type { LinkDetail, managementApi } from '@edge-controller/shared-types';
import { notFound } from '../../core/api-error.ts';
import type { FilterFields } from '../../core/filter/page.ts';
import type { Link } from '../../network/circuits/link-table.ts';
import { maxLatency } from '../../network/circuits/link-table.ts';
import type { Dependencies, Handlers } from './dependencies.ts';
import { listViews } from './list-views.ts';
import { readNames, referenceTo } from './references.ts';

const noun = 'link';

const fields: FilterFields = {
  id: { column: 'id', type: 'string' },
  protocol: { column: 'protocol', type: 'string' },
  sourceRouter: { column: 'sourceId', type: 'string' },
  destRouter: { column: 'destId', type: 'string' },
  down: { column: 'isDown', type: 'boolean' },
  staticCost: { column: 'staticCost', type: 'number' },
  cost: { column: 'cost', type: 'number' },
  iteration: { column: 'iteration', type: 'number' },
};

/** As on the wire, a list without a limit has all links. */
export const links: Handlers<typeof managementApi>['links'] = {
  list: async (call, { query }) =>
    listViews({
      views: await call.network.links(),
      query: { ...query, limit: query.limit ?? -1 },
      fields,
      rowOf: (link) => ({ ...link }),
      details: (some) => details(call, some),
    }),

  async get(call, { params: { id } }) {
    const link = await call.network.link(id);
    const [detail] = await details(call, link ? [link] : []);
    if (!detail) throw notFound(noun, id);
    return detail;
  },

  async delete({ network }, { params: { id } }) {
    if (!(await network.removeLink(id))) throw notFound(noun, id);
  },
};

async function details(dependencies: Dependencies, some: readonly Link[]): Promise<LinkDetail[]> {
  const ends = some.flatMap(({ sourceId, destId }) => [sourceId, destId]);
  const nameOf = await readNames(dependencies, 'transitRouters', ends);
  return some.map((link) => {
    const { id, protocol, isDown: down, staticCost, cost, iteration } = link;
    return {
      ...{ id, protocol, state: 'Connected', down, staticCost, cost, iteration },
      sourceRouter: referenceTo('routers', link.sourceId, nameOf(link.sourceId)),
      destRouter: referenceTo('routers', link.destId, nameOf(link.destId)),
      sourceLatency: nanoseconds(link.sourceLatency),
      destLatency: nanoseconds(link.destLatency),
      connections: link.connections.map(({ type, localAddress, remoteAddress }) => ({
        ...{ type, source: localAddress, dest: remoteAddress },
      })),
    };
  });
}

function nanoseconds(latency: number | null): number {
  return Math.round((latency ?? maxLatency) * 1_000_000);
}
