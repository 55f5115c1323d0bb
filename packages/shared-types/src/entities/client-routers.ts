import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity, entityRef, idParams, listQuery } from '../envelope.ts';
import { defineResource } from '../operation.ts';
import { edgeRouters } from './edge-routers.ts';

const fields = edgeRouters.detail.shape;

const shown = {
  name: fields.name,
  /** Where the router can be reached. Empty while it is offline. */
  hostname: fields.hostname,
  isOnline: fields.isOnline,
  /** Protocol → address. `{}` while the router is offline. */
  supportedProtocols: fields.supportedProtocols,
  /** How far the router knows the API sessions. */
  syncStatus: fields.syncStatus,
  /** 0 to 65535. A path through a router with a higher cost is chosen less often. */
  cost: fields.cost,
  noTraversal: fields.noTraversal,
  /** A disabled router cannot connect. */
  disabled: fields.disabled,
};
/** What applications see of an edge router. */
export const commonEdgeRouter = define('commonEdgeRouterProperties', z.object(shown));
/** An edge router that the identity of the session may use. */
const ownEdgeRouter = define('currentIdentityEdgeRouterDetail', z.object({ ...baseEntity, ...shown }));
/** The edge routers through which the identity of the session reaches a service. */
const serviceEdgeRouters = define('serviceEdgeRouters', z.object({ edgeRouters: z.array(commonEdgeRouter) }));
/** What applications see of a terminator. */
const clientTerminator = define(
  'terminatorClientDetail',
  z.object({
    ...baseEntity,
    serviceId: z.string(),
    service: entityRef,
    routerId: z.string(),
    /** The name that a caller can dial it by. Empty: none. */
    identity: z.string(),
  }),
);

export type CommonEdgeRouter = z.output<typeof commonEdgeRouter>;
export type CurrentIdentityEdgeRouterDetail = z.output<typeof ownEdgeRouter>;
export type TerminatorClientDetail = z.output<typeof clientTerminator>;

/** The edge routers that the identity of the session may use. */
export const currentIdentityEdgeRouters = defineResource({
  list: {
    method: 'GET',
    path: '/current-identity/edge-routers',
    access: 'full',
    result: 'list',
    query: listQuery,
    response: ownEdgeRouter,
    summary: 'Lists the enrolled edge routers that the caller may use; an administrator gets all',
  },
});

/** What the Client API shows of a service that the caller may dial or bind. */
export const clientServices = defineResource({
  edgeRouters: {
    method: 'GET',
    path: '/services/{id}/edge-routers',
    access: 'full',
    result: 'detail',
    params: idParams,
    headers: z.object({ 'session-token': z.string().optional() }),
    response: serviceEdgeRouters,
    summary: 'Reads the edge routers through which the caller reaches one service',
  },
  terminators: {
    method: 'GET',
    path: '/services/{id}/terminators',
    access: 'full',
    result: 'list',
    params: idParams,
    query: listQuery,
    response: clientTerminator,
    errors: ['NOT_FOUND'],
    summary: 'Lists the terminators of one service of the caller',
  },
});
