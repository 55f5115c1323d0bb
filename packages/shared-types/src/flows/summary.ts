import { z } from 'zod';
import { define } from '../definitions.ts';
import { defineResource } from '../operation.ts';

/** Name of entities → how many there are. `services.edge` counts the services, `routers.edge` the edge routers. */
const counts = define('listSummaryCounts', z.record(z.string(), z.number().int()));

/** How many entities there are. */
export const summary = defineResource({
  get: {
    method: 'GET',
    path: '/summary',
    access: 'admin',
    permission: 'ops.read',
    result: 'detail',
    meta: null,
    response: counts,
    summary: 'Counts the entities of each kind',
  },
});
