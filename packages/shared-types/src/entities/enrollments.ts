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

/** The methods of identities. Routers have `erott` (edge routers) and `trott` (transit routers). */
const identityMethod = z.enum(['ott', 'ottca', 'updb']);
const method = z.enum(['ott', 'ottca', 'updb', 'erott', 'trott']);
/** The router of an enrollment that the controller has made for it. */
const ofRouter = { create: 'none', update: 'none', patch: 'none', detail: 'optional' } as const;

/** The right of an identity or a router to get its first credential, once, with a token. */
export const enrollments = entity({
  noun: 'enrollment',
  collection: 'enrollments',
  fields: {
    /**
     * `ott`: the identity gets a certificate. `ottca`: it already has one of a CA. `updb`: it sets a password. `erott` and
     * `trott`: the router gets its certificates.
     */
    method: { ...immutable(method), sent: { create: identityMethod }, unique: { with: 'identityId' } },
    /** The identity. Absent when it is a router that enrolls. */
    identityId: { ...reference('identities', 'identity'), update: 'none', patch: 'none', detail: 'optional' },
    /** The edge router of `erott`. */
    edgeRouterId: { ...reference('edgeRouters', 'edgeRouter'), ...ofRouter },
    /** The transit router of `trott`. */
    transitRouterId: { ...reference('transitRouters', 'transitRouter'), ...ofRouter },
    /** The CA of `ottca`. */
    caId: { ...immutable(z.string(), 'caId'), ...onlyOptional },
    // POST checks the shortest length itself, in the order of the wire.
    /** The user name of `updb`. */
    username: { ...immutable(z.string()), ...onlyOptional, sent: { create: z.string().max(100) } },
    /** RFC 3339. */
    expiresAt: immutable(dateTime),
    /** Secret. It redeems the enrollment once. Empty for a caller who may not make enrollments. */
    token: derived(z.string()),
    /** The token with the address of the controller, signed by it. Give this to the device or the router. Empty as `token`. */
    jwt: derived(z.string()),
  },
  // The operation `refresh` is the only change.
  without: ['update', 'patch'],
  errors: { create: ['NOT_FOUND', 'ENROLLMENT_EXISTS'] },
  actions: enrollmentActions,
});
