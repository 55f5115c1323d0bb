import { z } from 'zod';
import { define } from '../definitions.ts';
import { apiSessionFields } from '../entities/api-sessions.ts';
import { baseEntity, dateTime, idParams, listQuery } from '../envelope.ts';
import { defineResource } from '../operation.ts';

const touchQuery = z.object({
  /** `false`: the session timeout goes on. Default: `true`, the call is a use of the session. */
  touch: z.enum(['true', 'false']).optional(),
});

/** The API session of the caller. */
export const currentApiSessionDetail = define(
  'currentApiSessionDetail',
  z.object({
    ...apiSessionFields,
    /** The seconds without a call after which the session ends: the session timeout, or less before `endsAt`. */
    expirationSeconds: z.number().int(),
    /** When the session ends if no further call is made, RFC 3339. */
    expiresAt: dateTime,
    /** When it ends however much it is used, RFC 3339. Absent: nothing but its timeout ends it. */
    endsAt: dateTime.optional(),
  }),
);

export type CurrentApiSessionDetail = z.output<typeof currentApiSessionDetail>;

/** The API session of the caller. */
export const currentApiSession = defineResource({
  get: {
    method: 'GET',
    path: '/current-api-session',
    access: 'partial',
    result: 'detail',
    query: touchQuery,
    response: currentApiSessionDetail,
    summary: 'Reads the API session of the caller; `touch=false` does not extend it',
  },
  delete: {
    method: 'DELETE',
    path: '/current-api-session',
    access: 'partial',
    endsSession: true,
    result: 'empty',
    summary: 'Ends the API session of the caller',
  },
});

/** When the services of the caller changed last. */
const serviceUpdates = define(
  'currentApiSessionServiceUpdateList',
  z.object({
    /** RFC 3339. Another value than before, and a later one: `GET /services` may have another response. */
    lastChangeAt: dateTime,
  }),
);

/** The API session of the caller, on the Client API. */
export const clientApiSession = {
  ...currentApiSession,
  ...defineResource({
    serviceUpdates: {
      method: 'GET',
      path: '/current-api-session/service-updates',
      access: 'full',
      result: 'detail',
      query: touchQuery,
      response: serviceUpdates,
      summary: 'Reads when the services of the caller changed last; `touch=false` does not extend its API session',
    },
  }),
};

/** A certificate that belongs to one API session and ends with it. */
const sessionCertificateDetail = define(
  'currentApiSessionCertificateDetail',
  z.object({
    ...baseEntity,
    subject: z.string(),
    fingerprint: z.string(),
    validFrom: dateTime,
    validTo: dateTime,
    certificate: z.string(),
  }),
);

export type SessionCertificateDetail = z.output<typeof sessionCertificateDetail>;

/** The body that asks for a certificate of the API session. */
const sessionCertificateCreate = define(
  'currentApiSessionCertificateCreate',
  z.object({
    /** PKCS#10 in PEM. */
    csr: z.string().max(65_536),
  }),
);
/** A new certificate of the API session, and the trusted CA certificates, in PEM. */
const sessionCertificateCreated = define(
  'currentApiSessionCertificateCreateResponse',
  z.object({ _links: baseEntity._links, id: z.string(), certificate: z.string(), cas: z.string() }),
);

const certificates = '/current-api-session/certificates';

/** Certificates of the API session of the caller, on the Client API. */
export const currentApiSessionCertificates = defineResource({
  list: {
    method: 'GET',
    path: certificates,
    access: 'full',
    result: 'list',
    query: listQuery,
    response: sessionCertificateDetail,
    summary: 'Lists the certificates of the API session of the caller',
  },
  get: {
    method: 'GET',
    path: `${certificates}/{id}`,
    access: 'full',
    result: 'detail',
    params: idParams,
    response: sessionCertificateDetail,
    meta: null,
    summary: 'Reads one certificate of the API session of the caller',
  },
  create: {
    method: 'POST',
    path: certificates,
    access: 'full',
    result: 'created',
    body: sessionCertificateCreate,
    response: sessionCertificateCreated,
    errors: ['MAX_API_SESSION_CERTIFICATES_REACHED'],
    summary: 'Issues a certificate for 12 hours, which belongs to the API session of the caller',
  },
  delete: {
    method: 'DELETE',
    path: `${certificates}/{id}`,
    access: 'full',
    result: 'empty',
    params: idParams,
    summary: 'Deletes one certificate of the API session of the caller',
  },
});
