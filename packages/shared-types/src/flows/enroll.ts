import { z } from 'zod';
import { define } from '../definitions.ts';
import { oneOf } from '../one-of.ts';
import { defineResource } from '../operation.ts';

/**
 * Body of an enrollment: the CSR for `ott`, the password for `updb` (the enrollment already has the user name), the wanted
 * name of the identity for `ca`, both CSRs of a router for `erott` and `trott`.
 */
export const genericEnroll = define(
  'genericEnroll',
  z.object({
    username: z.string().max(100).nullish(),
    password: z.string().min(5).max(100).nullish(),
    clientCsr: z.string().nullish(),
    /** Of a router: for the certificate with which it connects. Its common name is the id of the router. */
    certCsr: z.string().nullish(),
    /** Of a router: for the certificate that its clients meet. */
    serverCertCsr: z.string().nullish(),
    name: z.string().nullish(),
  }),
);

/**
 * What a redeemed enrollment brings.
 *
 * - `ott`: the certificate, then its intermediates, in PEM; the trusted CA certificates are at `/.well-known/est/cacerts`
 * - `erott`, `trott`: the same for a router, its server certificate, and the trusted CA certificates in PEM
 * - `updb`: the user name to sign in with
 * - `ottca`, `ca`: nothing, because the client has its certificate already
 * - `token`: with a CSR as `ott`, and the trusted CA certificates in PEM; without one nothing
 */
export const enrollmentResult = define(
  'enrollmentCerts',
  z.object({
    username: z.string().optional(),
    cert: z.string().optional(),
    serverCert: z.string().optional(),
    ca: z.string().optional(),
  }),
);

/** Body of `ott` and `ottca`, which needs no CSR. */
const ottEnrollmentRequest = define(
  'ottEnrollmentRequest',
  z.object({ token: z.string().nullish(), clientCsr: z.string().nullish() }),
);

/** Body of `erott`: the token, and both CSRs of the router. */
const erOttEnrollmentRequest = define(
  'erOttEnrollmentRequest',
  z.object({
    token: z.string().nullish(),
    /** For the certificate with which the router connects. */
    clientCsr: z.string().nullish(),
    /** For the certificate that its clients meet. */
    serverCsr: z.string().nullish(),
  }),
);

/** Body of the renewal of the certificates of a router. */
const routerExtendEnrollmentRequest = define(
  'routerExtendEnrollmentRequest',
  z.object({
    /** For the certificate with which the router connects. Its common name is the id of the router. */
    certCsr: z.string(),
    /** For the certificate that its clients meet. */
    serverCertCsr: z.string(),
  }),
);

export type GenericEnroll = z.output<typeof genericEnroll>;
export type EnrollmentResult = z.output<typeof enrollmentResult>;

/** Body of an enrollment with an external JWT. With a CSR the identity gets a certificate. */
const tokenEnrollmentRequest = define('tokenEnrollmentRequest', z.object({ clientCsr: z.string().nullish() }));
/** `Bearer` and the JWT; optionally the id of a signer. With an id, a JWT of another signer is refused. */
const tokenHeaders = z.object({
  authorization: z.string().optional(),
  'ziti-token-issuer-id': z.string().optional(),
});

/** Bytes. Certificate chains and signing requests can be larger than the default limit. */
const bodyLimit = 65_536;
const redeems = {
  method: 'POST',
  access: 'anyone',
  attempt: true,
  result: 'detail',
  bodyLimit,
  response: enrollmentResult,
} as const;

/** Redeems enrollments: a device or a user gets its credential. */
export const enroll = defineResource({
  enroll: {
    ...redeems,
    path: '/enroll',
    query: z.object({
      method: oneOf('ott', 'ottca', 'ca', 'updb', 'erott', 'trott').optional(),
      token: z.string().optional(),
    }),
    body: genericEnroll,
    bodyOptional: true,
    consumes: ['application/json', 'application/pkcs7', 'application/x-pem-file', 'text/plain'],
    textMember: 'clientCsr',
    errors: ['CERT_IN_USE', 'MAX_AUTHENTICATOR_METHODS_REACHED'],
    summary: 'Redeems an enrollment; its token works once',
  },
  ott: {
    ...redeems,
    path: '/enroll/ott',
    body: ottEnrollmentRequest,
    summary: 'Redeems an enrollment of method ott: issues a certificate',
  },
  ottca: {
    ...redeems,
    path: '/enroll/ottca',
    body: ottEnrollmentRequest,
    errors: ['CERT_IN_USE'],
    summary: 'Redeems an enrollment of method ottca with the client certificate of the connection',
  },
  erott: {
    ...redeems,
    path: '/enroll/erott',
    body: erOttEnrollmentRequest,
    summary: 'Redeems an enrollment of method erott: issues the certificates of an edge router',
  },
  extendRouter: {
    ...redeems,
    path: '/enroll/extend/router',
    body: routerExtendEnrollmentRequest,
    errors: ['UNAUTHORIZED'],
    summary: 'Replaces the certificates of the router whose client certificate the connection has',
  },
  ca: {
    ...redeems,
    path: '/enroll/ca',
    body: genericEnroll,
    bodyOptional: true,
    errors: ['CERT_IN_USE'],
    summary: 'Creates an identity for the client certificate of the connection, which a verified CA has issued',
  },
  token: {
    ...redeems,
    path: '/enroll/token',
    headers: tokenHeaders,
    body: tokenEnrollmentRequest,
    bodyOptional: true,
    errors: ['ENROLLMENT_IDENTITY_ALREADY_ENROLLED', 'INVALID_ENROLLMENT_NOT_ALLOWED'],
    summary: 'Creates an identity for the JWT of an external signer that allows it',
  },
  updb: {
    ...redeems,
    path: '/enroll/updb',
    query: z.object({ token: z.string() }),
    body: genericEnroll,
    bodyOptional: true,
    errors: ['MAX_AUTHENTICATOR_METHODS_REACHED'],
    summary: 'Redeems an enrollment of method updb',
  },
});
