import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { idParams } from '../envelope.ts';
import { authVersion, group, immutable, nullable, optional, required, serverSet, uniqueName } from '../field.ts';
import { defineResource } from '../operation.ts';
import { linkWhile } from '../relation.ts';

/** Where the external id of an identity is in a certificate. */
export const externalIdClaim = define(
  'externalIdClaim',
  z.object({
    /** The part of the certificate. */
    location: z.enum(['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL']),
    /** Which values of this part count. */
    matcher: z.enum(['ALL', 'PREFIX', 'SUFFIX', 'SCHEME']),
    /** The prefix, suffix or scheme. */
    matcherCriteria: z.string().max(500),
    /** How the id is cut out of the value. */
    parser: z.enum(['NONE', 'SPLIT']),
    /** The text between the parts of `SPLIT`. */
    parserCriteria: z.string().max(500),
    /** Which of the found values is the id. The first one is 0. */
    index: z.number().int().min(0).max(1_000),
  }),
);

export type ExternalIdClaim = z.output<typeof externalIdClaim>;

const claimField = group(externalIdClaim);
/** `externalIdClaim` in a request. All members are required. Those that the claim does not use may be null. */
const sentClaim = define(
  'externalIdClaimCreate',
  externalIdClaim.extend({
    matcherCriteria: externalIdClaim.shape.matcherCriteria.nullable(),
    parserCriteria: externalIdClaim.shape.parserCriteria.nullable(),
    index: externalIdClaim.shape.index.nullable(),
  }),
);

const caActions = defineResource({
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
    errors: ['CA_ALREADY_VERIFIED'],
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

/** A certificate authority of another organisation. Its certificates can enroll and sign in. */
export const cas = entity({
  noun: 'ca',
  collection: 'cas',
  fields: {
    name: uniqueName,
    /** The certificate of the CA, in PEM. */
    certPem: immutable(z.string().max(65_536)),
    /** SHA-1 of the certificate, in lower-case hex. */
    fingerprint: { ...serverSet(z.string(), 'always', '', 'fingerprint'), unique: true },
    /** Whether its owner has proved to have the key. An unverified CA is not used. */
    isVerified: serverSet(z.boolean(), 'always', false, 'isVerified'),
    /** The common name of the certificate that verifies the CA. */
    verificationToken: { ...serverSet(z.string(), 'optional', null, 'verificationToken'), secret: true },
    /** Whether its certificates can enroll without an enrollment. */
    isAutoCaEnrollmentEnabled: required(z.boolean(), 'isAutoCaEnrollmentEnabled'),
    /** Whether its certificates can redeem enrollments of method `ottca`. */
    isOttCaEnrollmentEnabled: required(z.boolean(), 'isOttCaEnrollmentEnabled'),
    /** Whether its certificates can sign in. */
    isAuthEnabled: required(z.boolean(), 'isAuthEnabled'),
    authVersion,
    /** Role attributes of identities that enroll themselves. */
    identityRoles: {
      ...nullable(z.array(z.string().min(1).max(500)).max(500)),
      create: 'required',
      update: 'required',
    },
    /** Name of identities that enroll themselves: `[caName]-[commonName]`. */
    identityNameFormat: {
      ...optional(z.string().max(500), '[caName]-[commonName]', 'identityNameFormat'),
      update: 'required',
    },
    /** Where a certificate has the external id of an identity. Default: certificates have none. */
    externalIdClaim: {
      ...claimField,
      sent: { ...claimField.sent, create: sentClaim, update: sentClaim },
      create: 'optional',
      update: 'optional',
      detail: 'optional',
    },
  },
  relations: {
    jwt: linkWhile('isAutoCaEnrollmentEnabled', true),
    verify: linkWhile('isVerified', false),
  },
  actions: caActions,
});
