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
    /** `ott`: the identity gets a certificate. `ottca`: it has one of a CA. `updb`: it sets a password. */
    method: fixed(z.enum(['ott', 'ottca', 'updb'])),
    identityId: { ...reference('identities', 'identity'), update: 'none', patch: 'none' },
    /** The CA of `ottca`. */
    caId: { ...fixed(z.string(), 'caId'), ...onlyOptional },
    // POST checks the shortest length itself, in the order of the wire.
    /** The user name of `updb`. */
    username: { ...fixed(z.string()), ...onlyOptional, sent: { create: z.string().max(100) } },
    /** RFC 3339. */
    expiresAt: fixed(dateTime),
    /** Secret. It redeems the enrollment once. */
    token: derived(z.string()),
    /** The token with the address of the controller, signed by it. Give this to the device. */
    jwt: derived(z.string()),
  },
});

/** The body that renews an enrollment. */
const enrollmentRefresh = define(
  'enrollmentRefresh',
  z.object({
    /** The new expiry, RFC 3339. */
    expiresAt: dateTime,
  }),
);
const {
  list,
  get,
  create,
  delete: remove,
} = operationsOf(enrollments, {
  create: ['NOT_FOUND', 'ENROLLMENT_EXISTS'],
});

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
