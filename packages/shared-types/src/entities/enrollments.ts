import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity, operationsOf } from '../entity.ts';
import { dateTime, idParams } from '../envelope.ts';
import { derived, fixed, reference } from '../field.ts';
import { defineResource } from '../operation.ts';

const onlyOptional = { create: 'optional', detail: 'optional' } as const;

/** The right of an identity to get its first credential, once, with a token. */
export const enrollments = entity({
  noun: 'enrollment',
  collection: 'enrollments',
  fields: {
    method: fixed(z.enum(['ott', 'ottca', 'updb'])),
    identityId: { ...reference('identities', 'identity'), update: 'none', patch: 'none' },
    caId: { ...fixed(z.string(), 'caId'), ...onlyOptional },
    /** POST checks the shortest length itself, in the order of the wire. */
    username: { ...fixed(z.string()), ...onlyOptional, sent: { create: z.string().max(100) } },
    expiresAt: fixed(dateTime),
    token: derived(z.string()),
    jwt: derived(z.string()),
  },
});

const enrollmentRefresh = define('enrollmentRefresh', z.object({ expiresAt: dateTime }));
const { list, get, create, delete: remove } = operationsOf(enrollments);

/** An enrollment changes only by its refresh. */
export const enrollmentOperations = defineResource({
  list,
  get,
  create,
  delete: remove,
  refresh: {
    method: 'POST',
    path: '/enrollments/{id}/refresh',
    access: 'admin',
    permission: 'enrollment.update',
    result: 'empty',
    params: idParams,
    body: enrollmentRefresh,
    summary: 'Gives one enrollment a new token and a new expiry; the old token stops working',
  },
});
