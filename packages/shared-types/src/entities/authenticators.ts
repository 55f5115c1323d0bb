import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { dateTime, idParams } from '../envelope.ts';
import { fixed, held, reference, required } from '../field.ts';
import { defineResource } from '../operation.ts';

/** Length of user names and passwords. The auth policy of the identity may require longer passwords. */
export const username = z.string().min(4).max(100);
export const password = z.string().min(5).max(100);

/** POST checks the lengths itself, in the order of the wire. */
const created = z.string().max(100);

/** A credential of an identity: a password (`updb`) or a certificate (`cert`). */
export const authenticators = entity({
  noun: 'authenticator',
  collection: 'authenticators',
  adminWrites: true,
  fields: {
    method: { ...fixed(z.string(), 'method'), shown: z.enum(['updb', 'cert']) },
    identityId: { ...reference('identities', 'identity'), update: 'none', patch: 'none' },
    username: {
      ...required(username, 'updbUsername'),
      create: 'optional',
      detail: 'optional',
      sent: { create: created },
    },
    password: { ...required(password), kind: 'input', create: 'optional', detail: 'none', sent: { create: created } },
    certPem: { ...fixed(z.string().max(65_536), 'certPem'), create: 'optional', detail: 'optional' },
    /** SHA-1 of the certificate, in lower-case hex. */
    fingerprint: held(z.string(), 'optional', 'certFingerprint'),
    /** SHA-256 of the SubjectPublicKeyInfo, in lower-case hex: tells whether an extension has rolled the key. */
    publicKeyPrint: held(z.string(), 'none', 'publicKeyPrint'),
    isIssuedByNetwork: held(z.boolean(), 'optional', 'isIssuedByNetwork'),
    isExtendRequested: held(z.boolean(), 'optional', 'isExtendRequested'),
    isKeyRollRequested: held(z.boolean(), 'optional', 'isKeyRollRequested'),
    extendRequestedAt: held(dateTime, 'optional', 'extendRequestedAt'),
    lastExtendRolledKeys: held(z.boolean(), 'optional', 'lastExtendRolledKeys'),
    lastAuthResolvedToRoot: held(z.boolean(), 'optional', 'lastAuthResolvedToRoot'),
    /** The certificate of an extension that its owner has not confirmed yet. */
    pendingCertPem: held(z.string(), 'none'),
    pendingFingerprint: held(z.string(), 'none'),
  },
  links: ['identityId'],
});

const reEnroll = define('reEnroll', z.object({ expiresAt: dateTime }));
const requestExtend = define('requestExtendAuthenticator', z.object({ rollKeys: z.boolean().nullish() }));

/** Operations on one authenticator besides those of every entity. */
export const authenticatorActions = defineResource({
  reEnroll: {
    method: 'POST',
    path: '/authenticators/{id}/re-enroll',
    access: 'admin',
    permission: 'admin',
    result: 'create',
    params: idParams,
    body: reEnroll,
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
