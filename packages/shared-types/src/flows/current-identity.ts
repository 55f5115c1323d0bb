import { z } from 'zod';
import { define } from '../definitions.ts';
import { apiSessionDetail } from '../entities/api-sessions.ts';
import { authenticators, password } from '../entities/authenticators.ts';
import { identities } from '../entities/identities.ts';
import { idParams, listQuery } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** The identity of the caller. */
export const currentIdentity = defineResource({
  get: {
    method: 'GET',
    path: '/current-identity',
    access: 'full',
    result: 'detail',
    response: identities.detail,
    meta: null,
    summary: 'Reads the identity of the caller',
  },
});

/** Members for changing one's own authenticator. */
const ownChange = {
  currentPassword: password,
  /** Ends all other API sessions of the caller. Default: false. */
  endOtherSessions: z.boolean().nullish(),
};

/** The body that replaces user name and password of the caller. */
export const authenticatorUpdateWithCurrent = define(
  'authenticatorUpdateWithCurrent',
  z.object({ ...authenticators.update.shape, ...ownChange }),
);

/** The body that changes user name or password of the caller. What is absent or null stays as it is. */
export const authenticatorPatchWithCurrent = define(
  'authenticatorPatchWithCurrent',
  z.object({ ...authenticators.patch.shape, ...ownChange }),
);

export type AuthenticatorUpdateWithCurrent = z.output<typeof authenticatorUpdateWithCurrent>;
export type AuthenticatorPatchWithCurrent = z.output<typeof authenticatorPatchWithCurrent>;

/** The body that asks for a new certificate. */
const identityExtend = define(
  'identityExtendEnrollmentRequest',
  z.object({
    /** PKCS#10 in PEM. */
    clientCertCsr: z.string().max(65_536),
  }),
);
/** A new certificate with its intermediates, and the trusted CA certificates, in PEM. */
const identityExtendCerts = define('identityExtendCerts', z.object({ clientCert: z.string(), ca: z.string() }));
/** The body that confirms a new certificate. */
const identityExtendVerify = define(
  'identityExtendValidateEnrollmentRequest',
  z.object({ clientCert: z.string().max(65_536) }),
);

const sessionsPath = '/current-identity/api-sessions';

/** The API sessions of the caller, on the Client API: where it is signed in. */
export const currentIdentityApiSessions = defineResource({
  list: {
    method: 'GET',
    path: sessionsPath,
    access: 'full',
    result: 'list',
    query: listQuery,
    response: apiSessionDetail,
    summary: 'Lists the API sessions of the caller, without their tokens',
  },
  get: {
    method: 'GET',
    path: `${sessionsPath}/{id}`,
    access: 'full',
    result: 'detail',
    params: idParams,
    response: apiSessionDetail,
    summary: 'Reads one API session of the caller, without its token',
  },
  delete: {
    method: 'DELETE',
    path: `${sessionsPath}/{id}`,
    access: 'full',
    result: 'empty',
    params: idParams,
    summary: 'Ends one API session of the caller and all that is tied to it',
  },
  endOthers: {
    method: 'DELETE',
    path: sessionsPath,
    access: 'full',
    result: 'empty',
    summary: 'Ends all API sessions of the caller but the one of this request',
  },
});

const path = '/current-identity/authenticators';

/** The authenticators of the caller. */
export const currentIdentityAuthenticators = defineResource({
  list: {
    method: 'GET',
    path,
    access: 'full',
    result: 'list',
    query: listQuery,
    response: authenticators.detail,
    summary: 'Lists the authenticators of the caller',
  },
  get: {
    method: 'GET',
    path: `${path}/{id}`,
    access: 'full',
    result: 'detail',
    params: idParams,
    response: authenticators.detail,
    summary: 'Reads one authenticator of the caller',
  },
  update: {
    method: 'PUT',
    path: `${path}/{id}`,
    access: 'full',
    attempt: true,
    result: 'empty',
    params: idParams,
    body: authenticatorUpdateWithCurrent,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
    summary: 'Replaces user name and password of the caller; asks for the current password',
  },
  patch: {
    method: 'PATCH',
    path: `${path}/{id}`,
    access: 'full',
    answers: 'NEW-PASSWORD',
    attempt: true,
    result: 'empty',
    params: idParams,
    body: authenticatorPatchWithCurrent,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
    summary: 'Changes user name or password of the caller; asks for the current password, and answers NEW-PASSWORD',
  },
  extend: {
    method: 'POST',
    path: `${path}/{id}/extend`,
    access: 'full',
    result: 'detail',
    params: idParams,
    body: identityExtend,
    response: identityExtendCerts,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
    summary: 'Issues a new certificate for one authenticator of the caller; it counts after extend-verify',
  },
  extendVerify: {
    method: 'POST',
    path: `${path}/{id}/extend-verify`,
    access: 'full',
    result: 'empty',
    params: idParams,
    body: identityExtendVerify,
    errors: ['CAN_NOT_UPDATE_AUTHENTICATOR'],
    summary: 'Replaces the certificate of one authenticator of the caller by the one that extend has issued',
  },
});
