import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity, dateTime, entityRef, idParams, listQuery } from '../envelope.ts';
import { authQueryDetail } from '../flows/auth-queries.ts';
import { defineResource } from '../operation.ts';

/** The members of an API session in both APIs. */
export const apiSessionFields = {
  ...baseEntity,
  /** Secret. Empty in lists of a caller's own sessions, and for a caller who is no administrator and reads those of all. */
  token: z.string(),
  /** Outstanding authentication queries. While there is one, the session is partial. */
  authQueries: z.array(authQueryDetail),
  /** The credential of the sign-in. */
  authenticatorId: z.string(),
  cachedLastActivityAt: dateTime,
  /** The last request of the session, RFC 3339. */
  lastActivityAt: dateTime,
  /** Config types that the client has asked for at the sign-in. */
  configTypes: z.array(z.string()),
  identity: entityRef,
  identityId: z.string(),
  /** The address of the client at the sign-in. */
  ipAddress: z.string(),
  /** Whether the session needs a second factor: TOTP, or the JWT of a signer. */
  isMfaRequired: z.boolean(),
  /** Whether it needs one and none is outstanding. */
  isMfaComplete: z.boolean(),
  /** Whether the certificate of the sign-in was issued by the network, so that it can be extended. */
  isCertExtendable: z.boolean(),
  /** Whether the administrator has asked for a new certificate. */
  isCertExtendRequested: z.boolean().optional(),
  /** Whether the new certificate must have a new key. */
  isCertKeyRollRequested: z.boolean().optional(),
  /** True when the client presented too few intermediates to reach a root. */
  improperClientCertChain: z.boolean().optional(),
};

/** An API session: the proof that an identity has signed in. */
export const apiSessionDetail = define('apiSessionDetail', z.object(apiSessionFields));

export type ApiSessionDetail = z.output<typeof apiSessionDetail>;

/** The API sessions of all identities. */
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
