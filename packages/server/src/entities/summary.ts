import type { managementApi } from '@edge-controller/shared-types';
import { countMfas } from '../credentials/mfas/mfa-record.ts';
import { countEntities } from '../crud/count-entities.ts';
import type { Handlers } from './dependencies.ts';

/**
 * The entities that the wire counts under other names than those of their contracts. The table of transit routers has the edge
 * routers, too.
 */
const namesOnWire: Readonly<Record<string, readonly string[]>> = {
  edgeRouters: ['routers.edge'],
  services: ['services', 'services.edge'],
  transitRouters: ['routers'],
};

export const summary: Handlers<typeof managementApi>['summary'] = {
  async get(call) {
    const [entities, mfas, { pagination }] = await Promise.all([
      countEntities(call),
      countMfas(call.database.lists),
      call.sessions.list({ limit: 1 }),
    ]);
    const counts: Record<string, number> = { apiSessions: pagination?.totalCount ?? 0, mfas };
    for (const [name, count] of entities) {
      for (const key of namesOnWire[name] ?? [name]) counts[key] = (counts[key] ?? 0) + count;
    }
    return counts;
  },
};
