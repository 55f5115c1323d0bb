import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { idParams } from '../envelope.ts';
import { authVersion, entityName, fixed, group, held, nullable, optional, required } from '../field.ts';
import { defineResource } from '../operation.ts';

/** Where the external id of an identity is in a certificate. */
export const externalIdClaim = define(
  'externalIdClaim',
  z.object({
    location: z.enum(['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL']),
    matcher: z.enum(['ALL', 'PREFIX', 'SUFFIX', 'SCHEME']),
    matcherCriteria: z.string().max(500),
    parser: z.enum(['NONE', 'SPLIT']),
    parserCriteria: z.string().max(500),
    index: z.number().int().min(0).max(1_000),
  }),
);

export type ExternalIdClaim = z.output<typeof externalIdClaim>;

const claimField = group(externalIdClaim);
/** POST and PUT must send every member. What the claim does not use may be null. */
const sentClaim = define(
  'externalIdClaimCreate',
  externalIdClaim.extend({
    matcherCriteria: externalIdClaim.shape.matcherCriteria.nullable(),
    parserCriteria: externalIdClaim.shape.parserCriteria.nullable(),
    index: externalIdClaim.shape.index.nullable(),
  }),
);

/** A certificate authority of another organisation. Its certificates can enroll and sign in. */
export const cas = entity({
  noun: 'ca',
  collection: 'cas',
  fields: {
    name: required(entityName, 'name'),
    certPem: fixed(z.string().max(65_536)),
    fingerprint: held(z.string(), 'always', 'fingerprint'),
    isVerified: held(z.boolean(), 'always', 'isVerified'),
    verificationToken: held(z.string(), 'optional', 'verificationToken'),
    isAutoCaEnrollmentEnabled: required(z.boolean(), 'isAutoCaEnrollmentEnabled'),
    isOttCaEnrollmentEnabled: required(z.boolean(), 'isOttCaEnrollmentEnabled'),
    isAuthEnabled: required(z.boolean(), 'isAuthEnabled'),
    authVersion,
    identityRoles: {
      ...nullable(z.array(z.string().min(1).max(500)).max(500)),
      create: 'required',
      update: 'required',
    },
    identityNameFormat: { ...optional(z.string().max(500), 'identityNameFormat'), update: 'required' },
    externalIdClaim: {
      ...claimField,
      sent: { ...claimField.sent, create: sentClaim, update: sentClaim },
      create: 'optional',
      update: 'optional',
      detail: 'optional',
    },
  },
  links: ['jwt', 'verify'],
  linksWhile: {
    jwt: { field: 'isAutoCaEnrollmentEnabled', is: true },
    verify: { field: 'isVerified', is: false },
  },
});

export const caActions = defineResource({
  verify: {
    method: 'POST',
    path: '/cas/{id}/verify',
    access: 'admin',
    permission: 'ca.update',
    result: 'empty',
    params: idParams,
    body: z.string(),
    bodyLimit: 65_536,
    consumes: ['text/plain', 'application/json'],
    summary: 'Verifies one CA with a certificate that it has issued; its common name is the verification token',
  },
  jwt: {
    method: 'GET',
    path: '/cas/{id}/jwt',
    access: 'admin',
    permission: 'ca.read',
    result: 'document',
    params: idParams,
    produces: ['application/jwt'],
    ignoresAccept: true,
    summary: 'Reads the JWT with which devices of one CA enroll themselves',
  },
});
