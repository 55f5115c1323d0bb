import { setting } from './setting.ts';
import { boolean, secretKey, url } from './values.ts';

/** The databases, and the key of what is secret in them. */
export const storeSettings = {
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
  /** Whether every connection to another machine must use TLS. */
  strictTransport: setting({
    key: 'edge.strictTransport',
    env: 'EDGE_STRICT_TRANSPORT',
    default: false,
    ...boolean,
    description:
      'Refuse to start with a PostgreSQL, a Redis or a receiver of traces on another machine without TLS, and refuse JWKS endpoints without it. PostgreSQL needs `sslmode=verify-full` or `verify-ca` in its URL. Otherwise the log and `doctor` have a warning for each.',
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
};
