import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity, entityRef, idParams, listQuery } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** The way of a circuit. Each link leads from one node to the next. */
const circuitPath = define(
  'circuitPath',
  z.object({
    /** The routers. The first one is that of the dialer, the last one that of the terminator. */
    nodes: z.array(entityRef),
    links: z.array(entityRef),
  }),
);

/** A connection of an application to a service, through one or more routers. `updatedAt`: when its path has changed. */
const circuitDetail = define(
  'circuitDetail',
  z.object({
    ...baseEntity,
    /** The identity that dialed. */
    clientId: z.string(),
    service: entityRef,
    terminator: entityRef,
    path: circuitPath,
  }),
);

export type CircuitDetail = z.output<typeof circuitDetail>;

/** The open circuits. */
export const circuits = defineResource({
  list: {
    method: 'GET',
    path: '/circuits',
    access: 'admin',
    permission: 'ops.read',
    result: 'list',
    query: listQuery,
    response: circuitDetail,
    summary: 'Lists the open circuits',
  },
  get: {
    method: 'GET',
    path: '/circuits/{id}',
    access: 'admin',
    permission: 'ops.read',
    result: 'detail',
    params: idParams,
    response: circuitDetail,
    summary: 'Reads one circuit',
  },
});
