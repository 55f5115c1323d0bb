import { z } from 'zod';
import type { Value } from './values.ts';
import { addressOrRange, duration, headerNames, integer, list, oneOf, origin, secretKey, text, url } from './values.ts';

/** One setting: its key in the file, its environment name, how it is read and how it is explained. */
export interface Setting<T> extends Value<T> {
  /** Key in the YAML file, dotted. */
  readonly key: string;
  readonly env: string;
  /** True: never shown, never a flag, and `<env>_FILE` names a file that holds it. */
  readonly secret?: true;
  readonly default: T;
  readonly description: string;
}

const setting = <T>(given: Setting<T>): Setting<T> => given;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Every setting, in the order of the documentation: the parser, the type `Settings` and `docs/configuration.md` come from
 * this table. The comment of an entry is what embedders read beside the member of `Settings`: its unit, and what `null` is.
 */
export const settingsTable = {
  /** Address the listener binds to. */
  host: setting({
    key: 'web.host',
    env: 'EDGE_HOST',
    default: '127.0.0.1',
    ...text(/^[0-9A-Za-z.:-]{1,253}$/, 'an IP address or a host name'),
    description: 'Address the listener binds to.',
  }),
  /** 0: any free port. */
  port: setting({
    key: 'web.port',
    env: 'EDGE_PORT',
    default: 1280,
    ...integer(0, 65_535),
    description: 'Port of the listener; 0 takes any free port.',
  }),
  /** Directory of the PKI, the keys and the embedded databases; made when it is not there. */
  dataDir: setting({
    key: 'dataDir',
    env: 'EDGE_DATA_DIR',
    default: './.edge-controller',
    ...text(/^[^\0]+$/, 'a path'),
    description: 'Directory of the PKI, the keys and the embedded databases.',
  }),
  /** Further DNS names and IP addresses in the server certificate. */
  names: setting({
    key: 'web.names',
    env: 'EDGE_NAMES',
    default: [],
    ...list(z.string().regex(/^[0-9A-Za-z.:*-]{1,253}$/), 'DNS names and IP addresses, separated by commas'),
    description: 'Names in the server certificate beside `localhost`, `127.0.0.1` and `::1`.',
  }),
  /** `host:port` under which clients reach the APIs; `null`: `localhost` and the port in use. */
  address: setting({
    key: 'edge.api.address',
    env: 'EDGE_API_ADDRESS',
    default: null,
    ...text(/^(\[[0-9a-fA-F:]+\]|[0-9A-Za-z.-]+):\d{1,5}$/, 'host:port'),
    description:
      'Where clients reach the APIs, as it is written into enrollment JWTs and the version document. Default: `localhost` and the port in use.',
  }),
  /** Milliseconds without use after which an API session is removed. */
  sessionTimeout: setting({
    key: 'edge.api.sessionTimeout',
    env: 'EDGE_SESSION_TIMEOUT',
    default: 30 * minute,
    ...duration(second, 365 * 24 * hour, '30m or 90s'),
    description: 'An API session that was not used for this long is removed. Below 1m a warning is logged.',
  }),
  /** Milliseconds that an enrollment of an identity may be redeemed. */
  enrollmentDuration: setting({
    key: 'edge.enrollment.edgeIdentity.duration',
    env: 'EDGE_ENROLLMENT_DURATION',
    default: 3 * hour,
    ...duration(second, 365 * 24 * hour, '180m'),
    description: 'How long an enrollment made with an identity may be redeemed.',
  }),
  /** Header names that carry the API session token, lower case; all are accepted and echoed. */
  sessionHeaders: setting({
    key: 'web.sessionHeaders',
    env: 'EDGE_SESSION_HEADERS',
    default: ['svc-session'],
    ...headerNames(),
    description:
      'Headers that carry the API session token. Add the name that existing clients of the same wire API use.',
  }),
  /** Origins whose pages may call the APIs from a browser. */
  corsOrigins: setting({
    key: 'web.cors.origins',
    env: 'EDGE_CORS_ORIGINS',
    default: [],
    ...list(origin, 'origins such as https://app.example.org, separated by commas'),
    description: 'Origins whose pages may call the APIs from a browser.',
  }),
  /** IP addresses and CIDR ranges of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: setting({
    key: 'web.trustedProxies',
    env: 'EDGE_TRUSTED_PROXIES',
    default: [],
    ...list(addressOrRange, 'IP addresses and CIDR ranges with a prefix of at least /1, separated by commas'),
    description: 'Proxies whose `X-Forwarded-For` tells the client address.',
  }),
  /** `postgres://…`, or `null`: SQLite in the data directory. */
  databaseUrl: setting({
    key: 'edge.database.url',
    env: 'EDGE_DATABASE_URL',
    secret: true,
    default: null,
    ...url(/^postgres(ql)?$/, 'a URL that begins with postgres://'),
    description: 'PostgreSQL for the entities. Default: SQLite in the data directory.',
  }),
  /** `redis://…`, or `null`: SQLite in the data directory. */
  redisUrl: setting({
    key: 'edge.sessions.redisUrl',
    env: 'EDGE_REDIS_URL',
    secret: true,
    default: null,
    ...url(/^rediss?$/, 'a URL that begins with redis:// or rediss://'),
    description: 'Redis for the API sessions. Default: SQLite in the data directory.',
  }),
  /** 32 bytes that seal tokens at rest; `null`: made on first start and kept in the data directory. */
  sealKey: setting({
    key: 'edge.sealKey',
    env: 'EDGE_SEAL_KEY',
    secret: true,
    default: null,
    ...secretKey,
    description:
      'Key that seals tokens at rest; every replica needs the same. Default: made on first start, kept in the data directory.',
  }),
  /** User name of the default administrator; read on the first start only. */
  adminUsername: setting({
    key: 'edge.admin.username',
    env: 'EDGE_ADMIN_USERNAME',
    default: 'admin',
    ...text(/^.{4,100}$/s, '4 to 100 characters'),
    description: 'User name of the default administrator; read on the first start only.',
  }),
  /** `null`: generated on first start and printed once. */
  adminPassword: setting({
    key: 'edge.admin.password',
    env: 'EDGE_ADMIN_PASSWORD',
    secret: true,
    default: null,
    ...text(/^.{8,100}$/s, '8 to 100 characters'),
    description:
      'Password of the default administrator; read on the first start only. Default: generated and printed once.',
  }),
  /** Passwords that are hashed at once; 0: the number of cores. */
  hashConcurrency: setting({
    key: 'edge.passwords.concurrency',
    env: 'EDGE_HASH_CONCURRENCY',
    default: 0,
    ...integer(0, 128),
    description: 'Passwords that are hashed at once; 0 takes the number of cores.',
  }),
  /** Passwords that may wait for their turn; one more is answered 429. */
  hashQueue: setting({
    key: 'edge.passwords.queue',
    env: 'EDGE_HASH_QUEUE',
    default: 16,
    ...integer(0, 10_000),
    description: 'Passwords that may wait to be hashed; one more is answered 429 with `Retry-After`.',
  }),
  /** Attempts (operations that try credentials) per second and client address; 0: no limit. */
  signInRate: setting({
    key: 'web.signInRate',
    env: 'EDGE_SIGN_IN_RATE',
    default: 10,
    ...integer(0, 100_000),
    description:
      'Attempts to sign in, answer a query, enroll or change a password per second and client address; 0: no limit.',
  }),
  /** Attempts that may come at once before `signInRate` counts. */
  signInBurst: setting({
    key: 'web.signInBurst',
    env: 'EDGE_SIGN_IN_BURST',
    default: 30,
    ...integer(1, 100_000),
    description: 'Attempts of one client address that may come at once.',
  }),
  /** Who authenticator apps say a TOTP code is for. */
  totpIssuer: setting({
    key: 'edge.totp.issuer',
    env: 'EDGE_TOTP_ISSUER',
    default: 'Edge Controller',
    ...text(/^[^:\0]{1,100}$/, '1 to 100 characters without a colon'),
    description: 'Who authenticator apps say a TOTP code is for.',
  }),
  /** Account in authenticator apps; `{name}` and `{id}` stand for those of the identity. */
  totpLabel: setting({
    key: 'edge.totp.label',
    env: 'EDGE_TOTP_LABEL',
    default: '{name}',
    ...text(/^[^:\0]{1,200}$/, '1 to 200 characters without a colon'),
    description: 'Account in authenticator apps; `{name}` and `{id}` stand for those of the identity.',
  }),
  /** Wrong TOTP and recovery codes of one identity before it has to wait. */
  totpAttempts: setting({
    key: 'edge.totp.attempts',
    env: 'EDGE_TOTP_ATTEMPTS',
    default: 10,
    ...integer(1, 1_000),
    description:
      'Wrong TOTP and recovery codes of one identity, over all its sessions, before it has to wait for the attempt window to pass.',
  }),
  /** Milliseconds after the last wrong code when the count begins anew. */
  totpAttemptWindow: setting({
    key: 'edge.totp.attemptWindow',
    env: 'EDGE_TOTP_ATTEMPT_WINDOW',
    default: 15 * minute,
    ...duration(second, 24 * hour, '15m'),
    description: 'How long after the last wrong code the count of wrong codes begins anew.',
  }),
  /** Least severe log line that is written. */
  logLevel: setting({
    key: 'log.level',
    env: 'EDGE_LOG_LEVEL',
    default: 'info',
    ...oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    description: 'Least severe log line that is written.',
  }),
};

/** The settings of a controller, checked and with their defaults. */
export type Settings = { readonly [Name in keyof typeof settingsTable]: (typeof settingsTable)[Name]['default'] };
