import { z } from 'zod';
import type { Value } from './values.ts';
import {
  addressOrRange,
  boolean,
  duration,
  headerNames,
  integer,
  list,
  oneOf,
  origin,
  secretKey,
  text,
  url,
} from './values.ts';

/** One setting: its names, its default, its parser and its documentation. */
export interface Setting<T> extends Value<T> {
  /** Dotted key in the YAML file. */
  readonly key: string;
  readonly env: string;
  /** True for a secret. It is never shown and has no flag. `<env>_FILE` may have the path of a file with the value. */
  readonly secret?: true;
  readonly default: T;
  readonly description: string;
}

const setting = <T>(given: Setting<T>): Setting<T> => given;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * All settings, in the order of the documentation. The parser, the type `Settings` and `docs/configuration.md` come
 * from this table. The comment of an entry is the documentation of the same member of `Settings`.
 */
export const settingsTable = {
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
    description: 'Additional names in the server certificate. It always has `localhost`, `127.0.0.1` and `::1`.',
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
  /** Milliseconds after the last use when an API session ends. */
  sessionTimeout: setting({
    key: 'edge.api.sessionTimeout',
    env: 'EDGE_SESSION_TIMEOUT',
    default: 30 * minute,
    ...duration(second, 365 * 24 * hour, '30m or 90s'),
    description: 'An API session ends when it is not used for this time. `run` prints a warning when it is below 1m.',
  }),
  /** Milliseconds after its creation when an enrollment expires. */
  enrollmentDuration: setting({
    key: 'edge.enrollment.edgeIdentity.duration',
    env: 'EDGE_ENROLLMENT_DURATION',
    default: 3 * hour,
    ...duration(second, 365 * 24 * hour, '180m'),
    description: 'An enrollment that is created with an identity expires after this time.',
  }),
  /** Headers for the API session token, in lower case. All are accepted, and a sign-in response has all of them. */
  sessionHeaders: setting({
    key: 'web.sessionHeaders',
    env: 'EDGE_SESSION_HEADERS',
    default: ['svc-session'],
    ...headerNames(),
    description: 'Headers for the API session token. Add the header that existing clients of the same wire API use.',
  }),
  /** Origins whose pages may call the APIs in a browser. */
  corsOrigins: setting({
    key: 'web.cors.origins',
    env: 'EDGE_CORS_ORIGINS',
    default: [],
    ...list(origin, 'origins such as https://app.example.org, separated by commas'),
    description: 'Origins whose pages may call the APIs in a browser.',
  }),
  /** IP addresses and CIDR ranges of proxies whose `X-Forwarded-For` header is trusted. */
  trustedProxies: setting({
    key: 'web.trustedProxies',
    env: 'EDGE_TRUSTED_PROXIES',
    default: [],
    ...list(addressOrRange, 'IP addresses and CIDR ranges with a prefix of at least /1, separated by commas'),
    description: 'Proxies whose `X-Forwarded-For` header is trusted. It has the address of the client.',
  }),
  /** `postgres://…`. `null`: SQLite in the data directory. */
  databaseUrl: setting({
    key: 'edge.database.url',
    env: 'EDGE_DATABASE_URL',
    secret: true,
    default: null,
    ...url(/^postgres(ql)?$/, 'a URL that begins with postgres://'),
    description: 'PostgreSQL database for the entities. Default: SQLite in the data directory.',
  }),
  /** `redis://…` or `rediss://…`. `null`: SQLite in the data directory. */
  redisUrl: setting({
    key: 'edge.sessions.redisUrl',
    env: 'EDGE_REDIS_URL',
    secret: true,
    default: null,
    ...url(/^rediss?$/, 'a URL that begins with redis:// or rediss://'),
    description:
      'Redis server for the API sessions and the limits of attempts. Default: API sessions in SQLite, limits in memory.',
  }),
  /** Whether the controller refuses to start with a Redis that may evict API sessions. */
  refuseEviction: setting({
    key: 'edge.sessions.refuseEviction',
    env: 'EDGE_REFUSE_EVICTION',
    default: false,
    ...boolean,
    description:
      'Refuse to start with a Redis whose `maxmemory-policy` is not `noeviction`. Otherwise the controller logs a warning: such a Redis may end API sessions when its memory is full.',
  }),
  /** 32 bytes that encrypt stored secrets. `null`: a key is generated on the first start and kept in `dataDir`. */
  sealKey: setting({
    key: 'edge.sealKey',
    env: 'EDGE_SEAL_KEY',
    secret: true,
    default: null,
    ...secretKey,
    description:
      'Key that encrypts stored tokens, TOTP secrets and recovery codes. All replicas need the same key. Default: generated on the first start and kept in the data directory.',
  }),
  /** User name of a new default administrator. A later change of this setting does not rename the administrator. */
  adminUsername: setting({
    key: 'edge.admin.username',
    env: 'EDGE_ADMIN_USERNAME',
    default: 'admin',
    ...text(/^.{4,100}$/s, '4 to 100 characters'),
    description:
      'User name of a new default administrator. A later change of this setting does not rename the administrator.',
  }),
  /** Password for a new default administrator and for a password reset. `null`: a password is generated. */
  adminPassword: setting({
    key: 'edge.admin.password',
    env: 'EDGE_ADMIN_PASSWORD',
    secret: true,
    default: null,
    ...text(/^.{8,100}$/s, '8 to 100 characters'),
    description:
      'Password of the default administrator. It is used only on the first start and by `admin reset-password`. Default: a password is generated and printed once.',
  }),
  /** How many passwords are hashed at the same time. 0: the number of cores. */
  hashConcurrency: setting({
    key: 'edge.passwords.concurrency',
    env: 'EDGE_HASH_CONCURRENCY',
    default: 0,
    ...integer(0, 128),
    description: 'How many passwords are hashed at the same time. 0: the number of cores.',
  }),
  /** How many passwords may wait to be hashed. For one more the response is 429. */
  hashQueue: setting({
    key: 'edge.passwords.queue',
    env: 'EDGE_HASH_QUEUE',
    default: 16,
    ...integer(0, 10_000),
    description: 'How many passwords may wait to be hashed. For one more the response is 429 with `Retry-After`.',
  }),
  /** Attempts per second and client address, for operations that check credentials. 0: no limit. */
  signInRate: setting({
    key: 'web.signInRate',
    env: 'EDGE_SIGN_IN_RATE',
    default: 10,
    ...integer(0, 100_000),
    description:
      'Attempts to sign in, answer a query, enroll or change a password, per second and client address. 0: no limit.',
  }),
  /** Attempts that one client address may make at once. More than `signInRate` at once are possible once a minute. */
  signInBurst: setting({
    key: 'web.signInBurst',
    env: 'EDGE_SIGN_IN_BURST',
    default: 30,
    ...integer(1, 100_000),
    description:
      'Attempts that one client address may make at once. More than `web.signInRate` at once are possible once a minute.',
  }),
  /** Issuer that authenticator apps show. */
  totpIssuer: setting({
    key: 'edge.totp.issuer',
    env: 'EDGE_TOTP_ISSUER',
    default: 'Edge Controller',
    ...text(/^[^:\0]{1,100}$/, '1 to 100 characters without a colon'),
    description: 'Issuer that authenticator apps show.',
  }),
  /** Account that authenticator apps show. `{name}` and `{id}` are replaced by those of the identity. */
  totpLabel: setting({
    key: 'edge.totp.label',
    env: 'EDGE_TOTP_LABEL',
    default: '{name}',
    ...text(/^[^:\0]{1,200}$/, '1 to 200 characters without a colon'),
    description: 'Account that authenticator apps show. `{name}` and `{id}` are replaced by those of the identity.',
  }),
  /** Number of wrong TOTP and recovery codes after which an identity must wait. */
  totpAttempts: setting({
    key: 'edge.totp.attempts',
    env: 'EDGE_TOTP_ATTEMPTS',
    default: 10,
    ...integer(1, 1_000),
    description:
      'Number of wrong TOTP and recovery codes, in all sessions of an identity, after which the identity must wait for the attempt window.',
  }),
  /** Milliseconds after the last wrong code when the count of wrong codes is reset. */
  totpAttemptWindow: setting({
    key: 'edge.totp.attemptWindow',
    env: 'EDGE_TOTP_ATTEMPT_WINDOW',
    default: 15 * minute,
    ...duration(second, 24 * hour, '15m'),
    description: 'Time after the last wrong code when the count of wrong codes is reset.',
  }),
  /** Lowest severity that is logged. */
  logLevel: setting({
    key: 'log.level',
    env: 'EDGE_LOG_LEVEL',
    default: 'info',
    ...oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    description: 'Lowest severity that is logged.',
  }),
};

/** The checked settings of a controller. Settings that were not given have their defaults. */
export type Settings = { readonly [Name in keyof typeof settingsTable]: (typeof settingsTable)[Name]['default'] };
