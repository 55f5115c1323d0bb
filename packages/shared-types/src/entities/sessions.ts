import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity, entityRef, idParams, listQuery, tags } from '../envelope.ts';
import { defineResource } from '../operation.ts';
import { commonEdgeRouter } from './client-routers.ts';

/** What a session lets its owner do with the service. */
const sessionType = z.enum(['Dial', 'Bind']);

/** An edge router through which a session reaches its service. */
const sessionEdgeRouter = define(
  'sessionEdgeRouter',
  commonEdgeRouter.extend({
    /** The same as `supportedProtocols`. */
    urls: commonEdgeRouter.shape.supportedProtocols,
  }),
);

/** The right to dial or to bind one service, which belongs to one API session and ends with it. */
const sessionDetail = define(
  'sessionDetail',
  z.object({
    ...baseEntity,
    type: sessionType,
    /** The JWT for edge routers, in the response that creates the session. Elsewhere the id of the session. */
    token: z.string(),
    apiSessionId: z.string(),
    apiSession: entityRef,
    identityId: z.string(),
    serviceId: z.string(),
    service: entityRef,
    /** Those that the identity may use and through which the service can be reached, at most 25, connected ones first. */
    edgeRouters: z.array(sessionEdgeRouter),
  }),
);

/** A session, with what gives the right. */
const sessionManagementDetail = define(
  'sessionManagementDetail',
  sessionDetail.extend({
    /** The service policies of its type whose posture checks all pass. */
    servicePolicies: z.array(entityRef),
  }),
);

/** The body that asks for a session. */
const sessionCreate = define(
  'sessionCreate',
  z.object({
    serviceId: z.string().max(500).nullish(),
    /** Default: `Dial`. */
    type: sessionType.nullish(),
    /** At most 1 KiB as JSON text. */
    tags: tags.nullish(),
  }),
);

/** The path that data of a session takes. */
const sessionRoutePath = define(
  'sessionRoutePathDetail',
  z.object({
    /** Ids of routers. Empty while there is no circuit. */
    routePath: z.array(z.string()),
  }),
);

export type SessionCreate = z.output<typeof sessionCreate>;
export type SessionDetail = z.output<typeof sessionManagementDetail>;

const path = '/sessions';
const one = '/sessions/{id}';

/** The sessions of the identity of the caller, on the Client API. An administrator has those of all identities. */
export const clientSessions = defineResource({
  list: {
    method: 'GET',
    path,
    access: 'full',
    result: 'list',
    query: listQuery,
    response: sessionManagementDetail,
    summary: 'Lists the sessions of the identity of the caller; an administrator gets all',
  },
  get: {
    method: 'GET',
    path: one,
    access: 'full',
    result: 'detail',
    params: idParams,
    response: sessionManagementDetail,
    summary: 'Reads one session of the identity of the caller',
  },
  create: {
    method: 'POST',
    path,
    access: 'full',
    result: 'created',
    body: sessionCreate,
    response: sessionDetail,
    errors: ['NOT_FOUND', 'INVALID_POSTURE', 'NO_EDGE_ROUTERS_AVAILABLE', 'MAX_SESSIONS_REACHED'],
    summary: 'Opens a session for one service, or returns the one of this API session with a new token',
  },
  delete: {
    method: 'DELETE',
    path: one,
    access: 'full',
    result: 'empty',
    params: idParams,
    summary: 'Ends one session of the identity of the caller',
  },
});

/** The sessions of all identities. */
export const sessions = defineResource({
  list: {
    method: 'GET',
    path,
    access: 'admin',
    permission: 'ops.read',
    result: 'list',
    query: listQuery,
    response: sessionManagementDetail,
    summary: 'Lists sessions',
  },
  get: {
    method: 'GET',
    path: one,
    access: 'admin',
    permission: 'ops.read',
    result: 'detail',
    params: idParams,
    response: sessionManagementDetail,
    summary: 'Reads one session',
  },
  delete: {
    method: 'DELETE',
    path: one,
    access: 'admin',
    permission: 'ops.delete',
    result: 'empty',
    params: idParams,
    summary: 'Ends one session',
  },
  routePath: {
    method: 'GET',
    path: '/sessions/{id}/route-path',
    access: 'admin',
    permission: 'ops.read',
    result: 'detail',
    params: idParams,
    response: sessionRoutePath,
    summary: 'Reads the path that data of one session takes; empty also for an unknown session',
  },
});
