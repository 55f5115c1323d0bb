import { z } from 'zod';
import { define } from '../definitions.ts';
import { entityRef, idParams, listQuery } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** A connection between the two routers of a link. */
const linkConnection = define(
  'linkConnection',
  z.object({
    type: z.string(),
    /** The address of the router that dialed. */
    source: z.string(),
    /** The address of the other router. */
    dest: z.string(),
  }),
);

/** A link between two routers. It carries the data of circuits, both ways. */
const linkDetail = define(
  'linkDetail',
  z.object({
    id: z.string(),
    /** `tls` */
    protocol: z.string(),
    /** The router that dialed. */
    sourceRouter: entityRef,
    /** The router that was dialed. */
    destRouter: entityRef,
    /** A link that is lost is not listed. */
    state: z.enum(['Connected']),
    /** True: no new path leads over it. */
    down: z.boolean(),
    staticCost: z.number().int(),
    /** Nanoseconds, as the source measures them; 65 seconds until then. */
    sourceLatency: z.number().int(),
    /** Nanoseconds, as the destination measures them; 65 seconds until then. */
    destLatency: z.number().int(),
    /** The static cost and the milliseconds of both latencies. */
    cost: z.number().int(),
    /** How often the source has dialed the link again. */
    iteration: z.number().int(),
    connections: z.array(linkConnection),
  }),
);

export type LinkDetail = z.output<typeof linkDetail>;

/** The links between the routers that are connected. */
export const links = defineResource({
  list: {
    method: 'GET',
    path: '/links',
    access: 'admin',
    permission: 'ops.read',
    result: 'list',
    query: listQuery,
    response: linkDetail,
    summary: 'Lists the links between routers; all of them without a limit',
  },
  get: {
    method: 'GET',
    path: '/links/{id}',
    access: 'admin',
    permission: 'ops.read',
    result: 'detail',
    params: idParams,
    response: linkDetail,
    summary: 'Reads one link',
  },
  delete: {
    method: 'DELETE',
    path: '/links/{id}',
    access: 'admin',
    permission: 'ops.delete',
    result: 'empty',
    params: idParams,
    summary: 'Closes one link and gives its circuits another path; the router may dial it again',
  },
});
