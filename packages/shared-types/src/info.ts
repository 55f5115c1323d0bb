import { z } from 'zod';
import { define } from './definitions.ts';
import { baseEntity } from './envelope.ts';
import { defineResource } from './operation.ts';

const text = (max: number) => z.string().max(max).optional();

/** The environment of a client. The client sends it when it authenticates. */
export const envInfo = define(
  'envInfo',
  z.object({
    arch: text(255),
    domain: text(253),
    hostname: text(253),
    os: text(255),
    osRelease: text(255),
    osVersion: text(255),
  }),
);

/** The SDK and the application of a client. The client sends it when it authenticates. */
export const sdkInfo = define(
  'sdkInfo',
  z.object({
    appId: text(255),
    appVersion: text(255),
    branch: text(255),
    revision: text(255),
    type: text(255),
    version: text(255),
  }),
);

/** The version of the controller, and where its APIs are. */
export const versionDetail = define(
  'version',
  z.object({
    version: z.string(),
    /** The commit that it was built from. */
    revision: z.string(),
    buildDate: z.string(),
    runtimeVersion: z.string(),
    /** API → version → paths and addresses. */
    apiVersions: z.record(
      z.string(),
      z.record(z.string(), z.object({ path: z.string(), apiBaseUrls: z.array(z.string()) })),
    ),
    /** Features of the controller that a client can use. */
    capabilities: z.array(z.string()),
  }),
);

/** One API description of the controller. */
export const specDetail = define('specDetail', z.object({ ...baseEntity, name: z.string() }));

export const version = defineResource({
  get: {
    method: 'GET',
    path: '/version',
    access: 'anyone',
    result: 'detail',
    response: versionDetail,
    summary: 'Reads the version of the controller and where its APIs are',
  },
  root: {
    method: 'GET',
    path: '/',
    access: 'anyone',
    result: 'detail',
    response: versionDetail,
    summary: 'The same as /version',
  },
});

/** A feature that `capabilities` of a version can name. */
export const capability = define('capabilities', z.enum(['OIDC_AUTH', 'HA_CONTROLLER']));

/** What controllers can do. */
export const enumeratedCapabilities = defineResource({
  list: {
    method: 'GET',
    path: '/enumerated-capabilities',
    access: 'anyone',
    result: 'list',
    response: capability,
    summary: 'Lists all features that the version of a controller can name',
  },
});

/** A JWT with which a device without an enrollment learns the address of the network. It has no secret. */
export const networkJwt = define(
  'networkJWT',
  z.object({
    name: z.string(),
    /** Signed with the key of the certificate that TLS shows. It never expires. */
    token: z.string(),
  }),
);

/** How devices without an enrollment find the network. */
export const networkJwts = defineResource({
  list: {
    method: 'GET',
    path: '/network-jwts',
    access: 'anyone',
    result: 'list',
    response: networkJwt,
    summary: 'Lists the JWTs with which devices without an enrollment find the network',
  },
});

/** How clients reach the controller with one protocol. */
const protocol = define(
  'protocol',
  z.object({
    /** Host and port. */
    address: z.string(),
  }),
);

/** Protocol → address. */
export const listProtocols = define('listProtocols', z.record(z.string(), protocol));

/** How clients reach the controller. */
export const protocols = defineResource({
  get: {
    method: 'GET',
    path: '/protocols',
    access: 'anyone',
    result: 'detail',
    response: listProtocols,
    summary: 'Reads the protocols that clients can use, and their addresses',
  },
});

/** What clients need before they trust the controller. */
export const wellKnown = defineResource({
  caCertificates: {
    method: 'GET',
    path: '/.well-known/est/cacerts',
    access: 'anyone',
    result: 'document',
    produces: ['application/pkcs7-mime'],
    summary: 'Reads the CA certificates that clients trust: PKCS#7 without signatures, DER in base64 (RFC 7030, 4.1)',
  },
});

/** The API documents of the controller. */
export const specs = defineResource({
  list: {
    method: 'GET',
    path: '/specs',
    access: 'anyone',
    result: 'list',
    response: specDetail,
    errors: ['NOT_FOUND'],
    summary: 'Lists the API descriptions of the controller',
  },
  get: {
    method: 'GET',
    path: '/specs/{id}',
    access: 'anyone',
    result: 'detail',
    response: specDetail,
    params: z.object({ id: z.string() }),
    summary: 'Reads one API description',
  },
  spec: {
    method: 'GET',
    path: '/specs/{id}/spec',
    access: 'anyone',
    result: 'document',
    produces: ['text/yaml', 'application/json'],
    params: z.object({ id: z.string() }),
    summary: 'Reads the OpenAPI 2.0 document of one API',
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    access: 'anyone',
    result: 'document',
    produces: ['application/json'],
    errors: ['NOT_FOUND'],
    summary: 'Reads the OpenAPI 3.1 document of this API',
  },
  swagger: {
    method: 'GET',
    path: '/swagger.json',
    access: 'anyone',
    result: 'document',
    produces: ['application/json'],
    errors: ['NOT_FOUND'],
    summary: 'Reads the OpenAPI 2.0 document of this API',
  },
});

export type NetworkJwt = z.output<typeof networkJwt>;
export type VersionDetail = z.output<typeof versionDetail>;
export type EnvInfo = z.output<typeof envInfo>;
export type SdkInfo = z.output<typeof sdkInfo>;
export type SpecDetail = z.output<typeof specDetail>;
