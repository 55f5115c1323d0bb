import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { dateTime, idParams } from '../envelope.ts';
import { derived, immutable, reference } from '../field.ts';
import { defineResource } from '../operation.ts';

const onlyOptional = { create: 'optional', detail: 'optional' } as const;

/** The body that renews an enrollment. */
const enrollmentRefresh = define(
  'enrollmentRefresh',
  z.object({
    /** The new expiry, RFC 3339. */
    expiresAt: dateTime,
  }),
);

const enrollmentActions = defineResource({
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

/** The right of an identity to get its first credential, once, with a token. */
export const enrollments = entity({
  noun: 'enrollment',
  collection: 'enrollments',
  fields: {
    /** `ott`: the identity gets a certificate. `ottca`: it already has one of a CA. `updb`: it sets a password. */
    method: { ...immutable(z.enum(['ott', 'ottca', 'updb'])), unique: { with: 'identityId' } },
    identityId: { ...reference('identities', 'identity'), update: 'none', patch: 'none' },
    /** The CA of `ottca`. */
    caId: { ...immutable(z.string(), 'caId'), ...onlyOptional },
    // POST checks the shortest length itself, in the order of the wire.
    /** The user name of `updb`. */
    username: { ...immutable(z.string()), ...onlyOptional, sent: { create: z.string().max(100) } },
    /** RFC 3339. */
    expiresAt: immutable(dateTime),
    /** Secret. It redeems the enrollment once. Empty for a caller who may not make enrollments. */
    token: derived(z.string()),
    /** The token with the address of the controller, signed by it. Give this to the device. Empty as `token`. */
    jwt: derived(z.string()),
  },
  // The operation `refresh` is the only change.
  without: ['update', 'patch'],
  errors: { create: ['NOT_FOUND', 'ENROLLMENT_EXISTS'] },
  actions: enrollmentActions,
});
