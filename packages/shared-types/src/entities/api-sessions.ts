import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity, dateTime, entityRef, idParams, listQuery } from '../envelope.ts';
import { authQueryDetail } from '../flows/auth-queries.ts';
import { defineResource } from '../operation.ts';

/** The members of an API session in both APIs (specification 2.2). */
export const apiSessionFields = {
  ...baseEntity,
  token: z.string(),
  authQueries: z.array(authQueryDetail),
  authenticatorId: z.string(),
  cachedLastActivityAt: dateTime,
  lastActivityAt: dateTime,
  configTypes: z.array(z.string()),
  identity: entityRef,
  identityId: z.string(),
  ipAddress: z.string(),
  isMfaRequired: z.boolean(),
  isMfaComplete: z.boolean(),
  /** Whether the certificate of the sign-in was issued by the network, so that it can be extended. */
  isCertExtendable: z.boolean(),
  isCertExtendRequested: z.boolean().optional(),
  isCertKeyRollRequested: z.boolean().optional(),
  /** True when the client presented too few intermediates to reach a root. */
  improperClientCertChain: z.boolean().optional(),
};

export const apiSessionDetail = define('apiSessionDetail', z.object(apiSessionFields));

export type ApiSessionDetail = z.output<typeof apiSessionDetail>;

export const apiSessions = defineResource({
  list: {
    method: 'GET',
    path: '/api-sessions',
    access: 'admin',
    permission: 'ops.read',
    result: 'list',
    query: listQuery,
    response: apiSessionDetail,
    summary: 'Lists API sessions',
  },
  get: {
    method: 'GET',
    path: '/api-sessions/{id}',
    access: 'admin',
    permission: 'ops.read',
    result: 'detail',
    params: idParams,
    response: apiSessionDetail,
    summary: 'Reads one API session',
  },
  delete: {
    method: 'DELETE',
    path: '/api-sessions/{id}',
    access: 'admin',
    permission: 'ops.delete',
    result: 'empty',
    params: idParams,
    summary: 'Removes one API session and all that is tied to it',
  },
});
