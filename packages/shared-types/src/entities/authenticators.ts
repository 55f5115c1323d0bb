import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { dateTime, idParams } from '../envelope.ts';
import { immutable, reference, required, serverSet } from '../field.ts';
import { defineResource } from '../operation.ts';
import { entityOf } from '../relation.ts';

/** Length of user names and passwords. The auth policy of the identity may require longer passwords. */
export const username = z.string().min(4).max(100);
export const password = z.string().min(5).max(100);

/** No minimum here: POST checks the lengths itself, in the order of the wire. */
const created = z.string().max(100);

/** The body that replaces an authenticator by an enrollment. */
const reEnroll = define(
  'reEnroll',
  z.object({
    /** When the enrollment expires, RFC 3339. */
    expiresAt: dateTime,
  }),
);
/** The body that asks for a new certificate. */
const requestExtend = define(
  'requestExtendAuthenticator',
  z.object({
    /** Whether the new certificate must have a new key. Default: false. */
    rollKeys: z.boolean().nullish(),
  }),
);

const authenticatorActions = defineResource({
  reEnroll: {
    method: 'POST',
    path: '/authenticators/{id}/re-enroll',
    access: 'admin',
    permission: 'admin',
    result: 'create',
    params: idParams,
    body: reEnroll,
    errors: ['ENROLLMENT_EXISTS', 'LAST_ADMINISTRATOR'],
    summary: 'Replaces one authenticator by an enrollment of the same kind and ends its API sessions',
  },
  requestExtend: {
    method: 'POST',
    path: '/authenticators/{id}/request-extend',
    access: 'admin',
    permission: 'admin',
    result: 'empty',
    params: idParams,
    body: requestExtend,
    summary: 'Asks the owner of one authenticator to renew its certificate, with a new key if `rollKeys` is true',
  },
});

/** A credential of an identity: a password (`updb`) or a certificate (`cert`). */
export const authenticators = entity({
  noun: 'authenticator',
  collection: 'authenticators',
  adminWrites: true,
  fields: {
    /** `updb` or `cert`. */
    method: immutable(z.enum(['updb', 'cert']), 'method'),
    identityId: { ...reference('identities', 'identity'), update: 'none', patch: 'none' },
    /** The user name of `updb`, 4 to 100 characters. */
    username: {
      ...required(username, 'updbUsername'),
      unique: true,
      create: 'optional',
      detail: 'optional',
      sent: { create: created },
    },
    /** The password of `updb`, 5 to 100 characters; the auth policy may require more. */
    password: { ...required(password), kind: 'input', create: 'optional', detail: 'none', sent: { create: created } },
    /** The certificate of `cert`, in PEM. */
    certPem: { ...immutable(z.string().max(65_536), 'certPem'), create: 'optional', detail: 'optional' },
    /** SHA-1 of the certificate, in lower-case hex. */
    fingerprint: { ...serverSet(z.string(), 'optional', null, 'certFingerprint'), unique: true },
    /** SHA-256 of the SubjectPublicKeyInfo, in lower-case hex: tells whether an extension has rolled the key. */
    publicKeyPrint: serverSet(z.string(), 'none', '', 'publicKeyPrint'),
    /** Whether the controller has issued the certificate, so that its owner can renew it. */
    isIssuedByNetwork: serverSet(z.boolean(), 'optional', false, 'isIssuedByNetwork'),
    /** Whether its owner is asked to renew the certificate. */
    isExtendRequested: serverSet(z.boolean(), 'optional', false, 'isExtendRequested'),
    /** Whether the new certificate must have a new key. */
    isKeyRollRequested: serverSet(z.boolean(), 'optional', false, 'isKeyRollRequested'),
    extendRequestedAt: serverSet(dateTime, 'optional', null, 'extendRequestedAt'),
    /** Whether the last renewal changed the key. */
    lastExtendRolledKeys: serverSet(z.boolean(), 'optional', false, 'lastExtendRolledKeys'),
    /** Whether the certificates of the last sign-in led to a root. */
    lastAuthResolvedToRoot: serverSet(z.boolean(), 'optional', false, 'lastAuthResolvedToRoot'),
    /** The certificate of an extension that its owner has not confirmed yet. */
    pendingCertPem: serverSet(z.string(), 'none', ''),
    pendingFingerprint: serverSet(z.string(), 'none', ''),
  },
  relations: { identities: entityOf('identityId') },
  errors: {
    create: ['NOT_FOUND', 'MAX_AUTHENTICATOR_METHODS_REACHED', 'SERVER_TOO_MANY_REQUESTS'],
    update: ['SERVER_TOO_MANY_REQUESTS'],
    patch: ['SERVER_TOO_MANY_REQUESTS'],
    delete: ['LAST_ADMINISTRATOR'],
  },
  actions: authenticatorActions,
});
