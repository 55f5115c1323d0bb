import { isIP } from 'node:net';
import { parseDuration } from '../lib/duration.ts';

/** The settings of a controller, checked and with their defaults. */
export interface Settings {
  /** Address the listener binds to. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly dataDir: string;
  /** Further DNS names and IP addresses in the server certificate. */
  readonly names: readonly string[];
  /** `host:port` under which clients reach the APIs; `null`: `localhost` and the port in use. */
  readonly address: string | null;
  /** Milliseconds. */
  readonly sessionTimeout: number;
  /** Milliseconds that an enrollment of an identity may be redeemed. */
  readonly enrollmentDuration: number;
  /** Header names that carry the API session token, lower case; all are accepted and echoed. */
  readonly sessionHeaders: readonly string[];
  readonly corsOrigins: readonly string[];
  /** CIDR list of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** `postgres://…`, or `null`: SQLite in the data directory. */
  readonly databaseUrl: string | null;
  /** `redis://…`, or `null`: SQLite in the data directory. */
  readonly redisUrl: string | null;
  /** 32 bytes that seal tokens at rest; `null`: made on first start and kept in the data directory. */
  readonly sealKey: Buffer | null;
  readonly adminUsername: string;
  /** `null`: generated on first start and printed once. */
  readonly adminPassword: string | null;
  /** Passwords that are hashed at once; 0: the number of cores. */
  readonly hashConcurrency: number;
  /** Passwords that may wait for their turn; one more is answered 429. */
  readonly hashQueue: number;
  /** Attempts (operations that try credentials) per second and client address; 0: no limit. */
  readonly signInRate: number;
  /** Attempts that may come at once before `signInRate` counts. */
  readonly signInBurst: number;
  /** Who authenticator apps say a TOTP code is for. */
  readonly totpIssuer: string;
  /** Account in authenticator apps; `{name}` and `{id}` stand for those of the identity. */
  readonly totpLabel: string;
  /** Wrong TOTP and recovery codes of one identity before it has to wait. */
  readonly totpAttempts: number;
  /** Milliseconds after the last wrong code when the count begins anew. */
  readonly totpAttemptWindow: number;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
}

/** One setting: its key in the file, its environment name, how it is read and how it is explained. */
export interface Setting<T> {
  /** Key in the YAML file, dotted. */
  readonly key: string;
  readonly env: string;
  /** True: never shown, never a flag, and `<env>_FILE` names a file that holds it. */
  readonly secret?: true;
  readonly default: T;
  /** What is accepted, completing "expected …". */
  readonly expected: string;
  readonly description: string;
  /** The value, or `undefined` when `raw` is not acceptable. Text from the environment and YAML values both come here. */
  readonly parse: (raw: unknown) => T | undefined;
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

function text(pattern: RegExp) {
  return (raw: unknown) => (typeof raw === 'string' && pattern.test(raw) ? raw : undefined);
}

function integer(min: number, max: number) {
  return (raw: unknown) => {
    const value = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw;
    return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
  };
}

function list(accepts: (entry: string) => boolean) {
  return (raw: unknown) => {
    const entries = typeof raw === 'string' ? raw.split(',').map((entry) => entry.trim()) : raw;
    if (!Array.isArray(entries)) return undefined;
    const given = entries.filter((entry) => entry !== '');
    return given.every((entry) => typeof entry === 'string' && accepts(entry)) ? (given as string[]) : undefined;
  };
}

function duration(min: number, max: number) {
  return (raw: unknown) => {
    const value = typeof raw === 'string' ? parseDuration(raw) : null;
    return value !== null && value >= min && value <= max ? value : undefined;
  };
}

function url(protocols: readonly string[]) {
  return (raw: unknown) =>
    typeof raw === 'string' && URL.canParse(raw) && protocols.includes(new URL(raw).protocol) ? raw : undefined;
}

function isOrigin(entry: string): boolean {
  return URL.canParse(entry) && new URL(entry).origin === entry;
}

function isAddressOrRange(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const nameOrAddress = /^[0-9A-Za-z.:*-]{1,253}$/;

/** Every setting, in the order of the documentation. `docs/configuration.md` is generated from this table. */
export const settingsTable: { readonly [K in keyof Settings]: Setting<Settings[K]> } = {
  host: {
    key: 'web.host',
    env: 'EDGE_HOST',
    default: '127.0.0.1',
    parse: text(/^[0-9A-Za-z.:-]{1,253}$/),
    expected: 'an IP address or a host name',
    description: 'Address the listener binds to.',
  },
  port: {
    key: 'web.port',
    env: 'EDGE_PORT',
    default: 1280,
    parse: integer(0, 65_535),
    expected: 'an integer from 0 to 65535',
    description: 'Port of the listener; 0 takes any free port.',
  },
  dataDir: {
    key: 'dataDir',
    env: 'EDGE_DATA_DIR',
    default: './.edge-controller',
    parse: text(/^[^\0]+$/),
    expected: 'a path',
    description: 'Directory of the PKI, the keys and the embedded databases.',
  },
  names: {
    key: 'web.names',
    env: 'EDGE_NAMES',
    default: [],
    parse: list((entry) => nameOrAddress.test(entry)),
    expected: 'DNS names and IP addresses, separated by commas',
    description: 'Names in the server certificate beside `localhost`, `127.0.0.1` and `::1`.',
  },
  address: {
    key: 'edge.api.address',
    env: 'EDGE_API_ADDRESS',
    default: null,
    parse: text(/^(\[[0-9a-fA-F:]+\]|[0-9A-Za-z.-]+):\d{1,5}$/),
    expected: 'host:port',
    description:
      'Where clients reach the APIs, as it is written into enrollment JWTs and the version document. Default: `localhost` and the port in use.',
  },
  sessionTimeout: {
    key: 'edge.api.sessionTimeout',
    env: 'EDGE_SESSION_TIMEOUT',
    default: 30 * 60_000,
    parse: duration(1_000, 365 * 86_400_000),
    expected: 'a duration of at least 1s such as 30m or 90s',
    description: 'An API session that was not used for this long is removed. Below 1m a warning is logged.',
  },
  enrollmentDuration: {
    key: 'edge.enrollment.edgeIdentity.duration',
    env: 'EDGE_ENROLLMENT_DURATION',
    default: 180 * 60_000,
    parse: duration(1_000, 365 * 86_400_000),
    expected: 'a duration of at least 1s such as 180m',
    description: 'How long an enrollment made with an identity may be redeemed.',
  },
  sessionHeaders: {
    key: 'web.sessionHeaders',
    env: 'EDGE_SESSION_HEADERS',
    default: ['svc-session'],
    parse: (raw) => {
      const names = list((entry) => headerName.test(entry))(raw)?.map((name) => name.toLowerCase());
      const taken = ['authorization', 'cookie', 'content-type', 'accept', 'host'];
      return names && names.length > 0 && !names.some((name) => taken.includes(name)) ? [...new Set(names)] : undefined;
    },
    expected: 'one or more header names, separated by commas',
    description:
      'Headers that carry the API session token. Add the name that existing clients of the same wire API use.',
  },
  corsOrigins: {
    key: 'web.cors.origins',
    env: 'EDGE_CORS_ORIGINS',
    default: [],
    parse: list(isOrigin),
    expected: 'origins such as https://app.example.org, separated by commas',
    description: 'Origins whose pages may call the APIs from a browser.',
  },
  trustedProxies: {
    key: 'web.trustedProxies',
    env: 'EDGE_TRUSTED_PROXIES',
    default: [],
    parse: list(isAddressOrRange),
    expected: 'IP addresses and CIDR ranges, separated by commas',
    description: 'Proxies whose `X-Forwarded-For` tells the client address.',
  },
  databaseUrl: {
    key: 'edge.database.url',
    env: 'EDGE_DATABASE_URL',
    secret: true,
    default: null,
    parse: url(['postgres:', 'postgresql:']),
    expected: 'a URL that begins with postgres://',
    description: 'PostgreSQL for the entities. Default: SQLite in the data directory.',
  },
  redisUrl: {
    key: 'edge.sessions.redisUrl',
    env: 'EDGE_REDIS_URL',
    secret: true,
    default: null,
    parse: url(['redis:', 'rediss:']),
    expected: 'a URL that begins with redis:// or rediss://',
    description: 'Redis for the API sessions. Default: SQLite in the data directory.',
  },
  sealKey: {
    key: 'edge.sealKey',
    env: 'EDGE_SEAL_KEY',
    secret: true,
    default: null,
    parse: (raw) => {
      const key = typeof raw === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(raw) ? Buffer.from(raw, 'base64') : undefined;
      return key?.length === 32 ? key : undefined;
    },
    expected: '32 random bytes in base64',
    description:
      'Key that seals tokens at rest; every replica needs the same. Default: made on first start, kept in the data directory.',
  },
  adminUsername: {
    key: 'edge.admin.username',
    env: 'EDGE_ADMIN_USERNAME',
    default: 'admin',
    parse: text(/^.{4,100}$/s),
    expected: '4 to 100 characters',
    description: 'User name of the default administrator; read on the first start only.',
  },
  adminPassword: {
    key: 'edge.admin.password',
    env: 'EDGE_ADMIN_PASSWORD',
    secret: true,
    default: null,
    parse: text(/^.{8,100}$/s),
    expected: '8 to 100 characters',
    description:
      'Password of the default administrator; read on the first start only. Default: generated and printed once.',
  },
  hashConcurrency: {
    key: 'edge.passwords.concurrency',
    env: 'EDGE_HASH_CONCURRENCY',
    default: 0,
    parse: integer(0, 128),
    expected: 'an integer from 0 to 128',
    description: 'Passwords that are hashed at once; 0 takes the number of cores.',
  },
  hashQueue: {
    key: 'edge.passwords.queue',
    env: 'EDGE_HASH_QUEUE',
    default: 16,
    parse: integer(0, 10_000),
    expected: 'an integer from 0 to 10000',
    description: 'Passwords that may wait to be hashed; one more is answered 429 with `Retry-After`.',
  },
  signInRate: {
    key: 'web.signInRate',
    env: 'EDGE_SIGN_IN_RATE',
    default: 10,
    parse: integer(0, 100_000),
    expected: 'an integer from 0 to 100000',
    description:
      'Attempts to sign in, answer a query, enroll or change a password per second and client address; 0: no limit.',
  },
  signInBurst: {
    key: 'web.signInBurst',
    env: 'EDGE_SIGN_IN_BURST',
    default: 30,
    parse: integer(1, 100_000),
    expected: 'an integer from 1 to 100000',
    description: 'Attempts of one client address that may come at once.',
  },
  totpIssuer: {
    key: 'edge.totp.issuer',
    env: 'EDGE_TOTP_ISSUER',
    default: 'Edge Controller',
    parse: text(/^[^:\0]{1,100}$/),
    expected: '1 to 100 characters without a colon',
    description: 'Who authenticator apps say a TOTP code is for.',
  },
  totpLabel: {
    key: 'edge.totp.label',
    env: 'EDGE_TOTP_LABEL',
    default: '{name}',
    parse: text(/^[^:\0]{1,200}$/),
    expected: '1 to 200 characters without a colon',
    description: 'Account in authenticator apps; `{name}` and `{id}` stand for those of the identity.',
  },
  totpAttempts: {
    key: 'edge.totp.attempts',
    env: 'EDGE_TOTP_ATTEMPTS',
    default: 10,
    parse: integer(1, 1_000),
    expected: 'an integer from 1 to 1000',
    description:
      'Wrong TOTP and recovery codes of one identity, over all its sessions, before it has to wait for the attempt window to pass.',
  },
  totpAttemptWindow: {
    key: 'edge.totp.attemptWindow',
    env: 'EDGE_TOTP_ATTEMPT_WINDOW',
    default: 15 * 60_000,
    parse: duration(1_000, 86_400_000),
    expected: 'a duration of at least 1s such as 15m',
    description: 'How long after the last wrong code the count of wrong codes begins anew.',
  },
  logLevel: {
    key: 'log.level',
    env: 'EDGE_LOG_LEVEL',
    default: 'info',
    parse: (raw) => levels.find((level) => level === raw),
    expected: levels.join(', '),
    description: 'Least severe log line that is written.',
  },
};
