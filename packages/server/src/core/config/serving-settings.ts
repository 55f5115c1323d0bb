import { z } from 'zod';
import { hour, minute, second, setting } from './setting.ts';
import { addressOrRange, boolean, duration, headerNames, integer, list, oneOf, origin, text } from './values.ts';

/** Where the controller serves, its data, its certificates, and its sessions. */
export const servingSettings = {
  /** Address that the controller listens on. */
  host: setting({
    key: 'web.host',
    env: 'EDGE_HOST',
    default: '127.0.0.1',
    ...text(/^[0-9A-Za-z.:-]{1,253}$/, 'an IP address or a host name'),
    description: 'Address that the controller listens on.',
  }),
  /** Port that the controller listens on. 0: any free port. */
  port: setting({
    key: 'web.port',
    env: 'EDGE_PORT',
    default: 1280,
    ...integer(0, 65_535),
    description: 'Port that the controller listens on. 0: any free port.',
  }),
  /** Directory of the PKI, the keys and the SQLite databases. It is created when it does not exist. */
  dataDir: setting({
    key: 'dataDir',
    env: 'EDGE_DATA_DIR',
    default: './.edge-controller',
    ...text(/^[^\0]+$/, 'a path'),
    description: 'Directory of the PKI, the keys and the SQLite databases. It is created when it does not exist.',
  }),
  /** Additional DNS names and IP addresses in the server certificate. */
  names: setting({
    key: 'web.names',
    env: 'EDGE_NAMES',
    default: [],
    ...list(z.string().regex(/^[0-9A-Za-z.:*-]{1,253}$/), 'DNS names and IP addresses, separated by commas'),
    description:
      'Additional names in the server certificate. It always has `localhost`, `127.0.0.1`, `::1` and the host of `edge.api.address`.',
  }),
  /** `host:port` at which clients reach the APIs. `null`: `localhost` and the port in use. */
  address: setting({
    key: 'edge.api.address',
    env: 'EDGE_API_ADDRESS',
    default: null,
    ...text(/^(\[[0-9a-fA-F:]+\]|[0-9A-Za-z.-]+):\d{1,5}$/, 'host:port'),
    description:
      'Address at which clients reach the APIs. Enrollment JWTs and the version response contain it. Default: `localhost` and the port in use.',
  }),
  /** The kind of the private keys that are created: `ec` (P-256) or `rsa`. Keys that exist stay. */
  pkiKeyType: setting<'ec' | 'rsa'>({
    key: 'edge.pki.keyType',
    env: 'EDGE_PKI_KEY_TYPE',
    default: 'ec',
    ...oneOf(['ec', 'rsa']),
    description:
      'The kind of the private keys that the controller creates on its first start: P-256, or RSA with 3,072 bits for the CAs and 2,048 for the server. Keys that exist stay. Existing clients built on the C SDK need `rsa`.',
  }),
  /** Trust domain of the SPIFFE ids in the certificates of the network. `null`: it comes from the certificates. */
  trustDomain: setting({
    key: 'trustDomain',
    env: 'EDGE_TRUST_DOMAIN',
    default: null,
    ...text(/^[a-z0-9._-]{1,255}$/, '1 to 255 lower-case letters, digits, dots, hyphens and underscores'),
    description:
      'Trust domain of the SPIFFE ids in the certificates that the controller issues. Default: that of a SPIFFE id in the server certificate or its issuers, otherwise the SHA-1 of the root.',
  }),
  /** Milliseconds after the last use when an API session ends. */
  sessionTimeout: setting({
    key: 'edge.api.sessionTimeout',
    env: 'EDGE_SESSION_TIMEOUT',
    default: 30 * minute,
    ...duration(second, 365 * 24 * hour, '30m or 90s'),
    description: 'An API session ends when it is not used for this time. `run` prints a warning when it is below 1m.',
  }),
  /** Milliseconds after the sign-in when an API session ends, however much it is used. `null`: no limit. */
  maxSessionLifetime: setting<number | null>({
    key: 'edge.api.maxSessionLifetime',
    env: 'EDGE_MAX_SESSION_LIFETIME',
    isLive: true,
    default: null,
    ...duration(second, 365 * 24 * hour, '24h'),
    description:
      'An API session ends this long after its sign-in, however much it is used. An auth policy may say less (`primary.maxSessionMinutes`). A lower value holds for sessions that exist from their next use on, a higher one for new sessions. Default: no limit.',
  }),
  /** How many API sessions an identity may have. 0: any number. */
  maxApiSessions: setting({
    key: 'edge.api.maxSessionsPerIdentity',
    env: 'EDGE_MAX_SESSIONS_PER_IDENTITY',
    isLive: true,
    default: 0,
    ...integer(0, 100_000),
    description:
      'How many API sessions an identity may have. A sign-in beyond it ends the one that was not used for the longest time. Sessions that still lack a code count by themselves. 0: any number.',
  }),
  /** How many sessions for services an API session may have. */
  maxSessions: setting({
    key: 'edge.sessions.maxPerApiSession',
    env: 'EDGE_MAX_SESSIONS',
    isLive: true,
    default: 10_000,
    ...integer(1, 1_000_000),
    description:
      'How many sessions for services an API session may have. For one more the response is 409. A session takes about half a kilobyte in Redis.',
  }),
  /** `host:port` that the controller listens on for edge routers. `null`: no router can connect. */
  routersBind: setting({
    key: 'edge.routers.bind',
    env: 'EDGE_ROUTERS_BIND',
    default: null,
    ...text(/^(\[[0-9a-fA-F:]+\]|[0-9A-Za-z.-]+):\d{1,5}$/, 'host:port'),
    description:
      'Address and port that the controller listens on for edge routers, such as `0.0.0.0:6262`. Default: no router can connect. The port 0 is any free one, for tests.',
  }),
  /** `host:port` at which edge routers reach the controllers. Empty: the host of the API address and the port of `routersBind`. */
  routersAddresses: setting({
    key: 'edge.routers.addresses',
    env: 'EDGE_ROUTERS_ADDRESSES',
    default: [],
    ...list(z.string().regex(/^(\[[0-9a-fA-F:]+\]|[0-9A-Za-z.-]+):\d{1,5}$/), 'host:port, separated by commas'),
    description:
      'Addresses at which edge routers reach the controllers, all of them. Enrollment JWTs of routers contain them. Default: the host of `edge.api.address` and the port of `edge.routers.bind`.',
  }),
  /** Milliseconds after its creation when an enrollment expires. */
  enrollmentDuration: setting({
    key: 'edge.enrollment.edgeIdentity.duration',
    env: 'EDGE_ENROLLMENT_DURATION',
    isLive: true,
    default: 3 * hour,
    ...duration(second, 365 * 24 * hour, '180m'),
    description: 'An enrollment that is created with an identity expires after this time.',
  }),
  /** Milliseconds after its creation when the enrollment of a router expires. */
  routerEnrollmentDuration: setting({
    key: 'edge.enrollment.edgeRouter.duration',
    env: 'EDGE_ROUTER_ENROLLMENT_DURATION',
    isLive: true,
    default: 3 * hour,
    ...duration(second, 365 * 24 * hour, '180m'),
    description: 'The enrollment of a router expires after this time.',
  }),
  /** Milliseconds from now within which an enrollment must expire. */
  enrollmentMaxDuration: setting({
    key: 'edge.enrollment.maxDuration',
    env: 'EDGE_ENROLLMENT_MAX_DURATION',
    isLive: true,
    default: 365 * 24 * hour,
    ...duration(second, 100 * 365 * 24 * hour, '8760h'),
    description:
      'An enrollment must expire within this time, whoever makes or refreshes it. Those that come with an identity or a router expire then when their own setting is longer.',
  }),
  /** Whether the API documents are served, and what shows them. */
  docsEnabled: setting({
    key: 'edge.docs.enabled',
    env: 'EDGE_DOCS_ENABLED',
    default: true,
    ...boolean,
    description:
      'Whether the API documents are served: the pages at `/` and `/edge/docs`, `openapi.json`, `swagger.json` and `specs` of both APIs. When false, they are 404, and the version response does not have the version of Node.',
  }),
  /** Headers for the API session token, in lower case. All are accepted, and a sign-in response has all of them. */
  sessionHeaders: setting({
    key: 'web.sessionHeaders',
    env: 'EDGE_SESSION_HEADERS',
    default: ['svc-session', 'zt-session'],
    ...headerNames(),
    description:
      'Headers for the API session token. `zt-session` is that of the clients of OpenZiti. The first one is in `WWW-Authenticate`.',
  }),
  /** Origins whose pages may call the APIs in a browser. */
  corsOrigins: setting({
    key: 'web.cors.origins',
    env: 'EDGE_CORS_ORIGINS',
    isLive: true,
    default: [],
    ...list(origin, 'origins such as https://app.example.org, separated by commas'),
    description: 'Origins whose pages may call the APIs in a browser.',
  }),
  /** IP addresses and CIDR ranges of proxies whose `X-Forwarded-For` header is trusted. */
  trustedProxies: setting({
    key: 'web.trustedProxies',
    env: 'EDGE_TRUSTED_PROXIES',
    isLive: true,
    default: [],
    ...list(addressOrRange, 'IP addresses and CIDR ranges with a prefix of at least /1, separated by commas'),
    description: 'Proxies whose `X-Forwarded-For` header is trusted. It has the address of the client.',
  }),
};
