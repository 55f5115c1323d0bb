import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity, dateTime, entityRef, idParams, listQuery } from '../envelope.ts';
import { defineResource } from '../operation.ts';

export const authenticatorDetail = define(
  'authenticatorDetail',
  z.object({
    ...baseEntity,
    method: z.enum(['updb', 'cert']),
    identityId: z.string(),
    identity: entityRef,
    username: z.string().optional(),
    certPem: z.string().optional(),
    fingerprint: z.string().optional(),
    isIssuedByNetwork: z.boolean().optional(),
    isExtendRequested: z.boolean().optional(),
    isKeyRollRequested: z.boolean().optional(),
    extendRequestedAt: dateTime.optional(),
    lastAuthResolvedToRoot: z.boolean().optional(),
  }),
);

export type AuthenticatorDetail = z.output<typeof authenticatorDetail>;

export const authenticators = defineResource({
  list: {
    method: 'GET',
    path: '/authenticators',
    access: 'admin',
    answer: 'list',
    query: listQuery,
    response: authenticatorDetail,
    summary: 'Lists authenticators',
  },
  get: {
    method: 'GET',
    path: '/authenticators/{id}',
    access: 'admin',
    answer: 'detail',
    params: idParams,
    response: authenticatorDetail,
    summary: 'Reads one authenticator',
  },
});
