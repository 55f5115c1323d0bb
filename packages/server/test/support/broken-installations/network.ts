import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import pg from 'pg';
import { inject } from 'vitest';
import { createRedisClient } from '../../../src/storage/database/redis/clients.ts';
import { freePort } from '../free-port.ts';
import { migratedDatabase } from '../migrated-database.ts';
import { freshDatabase } from '../postgres.ts';
import { freshRedis, startPrivateRedis } from '../redis.ts';
import type { Broken, Installation } from './installation.ts';

/** Stores, addresses, names, and what the process may use. */
export const network: readonly Installation[] = [
  {
    name: 'PostgreSQL that cannot be reached',
    ...{ severity: 'error', check: 'entity database', message: /ECONNREFUSED/, setIn: /EDGE_DATABASE_URL/ },
    fix: /start PostgreSQL, or correct EDGE_DATABASE_URL/,
    async break() {
      const [url, EDGE_REDIS_URL] = [await migratedDatabase(), await freshRedis(inject('redisUrl'))];
      const EDGE_DATABASE_URL = postgresOn(url, (parsed) => Object.assign(parsed, { port: '1' }));
      return {
        env: { EDGE_DATABASE_URL, EDGE_REDIS_URL },
        after: { EDGE_DATABASE_URL: url, EDGE_REDIS_URL },
      };
    },
  },
  {
    name: 'a database that does not exist',
    ...{
      severity: 'error',
      check: 'entity database',
      message: /"nobody_made_it" does not exist/,
      setIn: /DATABASE_URL/,
    },
    fix: /database\/nobody_made_it|correct EDGE_DATABASE_URL/,
    async break() {
      const [url, EDGE_REDIS_URL] = [await freshDatabase(inject('postgresUrl')), await freshRedis(inject('redisUrl'))];
      const EDGE_DATABASE_URL = postgresOn(url, (parsed) => Object.assign(parsed, { pathname: '/nobody_made_it' }));
      return {
        env: { EDGE_DATABASE_URL, EDGE_REDIS_URL },
        after: { EDGE_DATABASE_URL: url, EDGE_REDIS_URL },
      };
    },
  },
  {
    name: 'a database with another encoding',
    ...{
      severity: 'error',
      check: 'entity database',
      message: /has the encoding SQL_ASCII/,
      setIn: /EDGE_DATABASE_URL/,
    },
    fix: /create a database with the encoding UTF8/,
    async break() {
      const name = `ascii_${randomUUID().replaceAll('-', '')}`;
      const postgres = inject('postgresUrl');
      await onPostgres(
        postgres,
        `create database ${name} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`,
      );
      const [url, EDGE_REDIS_URL] = [await freshDatabase(postgres), await freshRedis(inject('redisUrl'))];
      const EDGE_DATABASE_URL = postgresOn(url, (parsed) => Object.assign(parsed, { pathname: `/${name}` }));
      return { env: { EDGE_DATABASE_URL, EDGE_REDIS_URL }, after: { EDGE_DATABASE_URL: url, EDGE_REDIS_URL } };
    },
  },
  {
    name: 'a user of the database who may not create tables',
    ...{ severity: 'error', check: 'entity database', message: /may not create tables/, setIn: /EDGE_DATABASE_URL/ },
    fix: /grant create on schema public/,
    async break() {
      const role = `limited_${randomUUID().replaceAll('-', '')}`;
      const url = await freshDatabase(inject('postgresUrl'));
      await onPostgres(url, `create role ${role} login password 'hidden'`);
      const env = {
        EDGE_DATABASE_URL: postgresOn(url, (parsed) => Object.assign(parsed, { username: role, password: 'hidden' })),
        EDGE_REDIS_URL: await freshRedis(inject('redisUrl')),
      };
      return {
        env,
        mend: () => onPostgres(url, `grant create on schema public to ${role}`),
        after: env,
        end: () => onPostgres(url, `drop owned by ${role}; drop role ${role}`),
      };
    },
  },
  {
    name: 'Redis that cannot be reached',
    ...{
      severity: 'error',
      check: 'session store',
      message: /Redis at 127\.0\.0\.1:1 cannot/,
      setIn: /EDGE_REDIS_URL/,
    },
    fix: /start the store, or correct/,
    async break() {
      const EDGE_DATABASE_URL = await migratedDatabase();
      return {
        env: { EDGE_DATABASE_URL, EDGE_REDIS_URL: 'redis://:hidden@127.0.0.1:1' },
        after: { EDGE_DATABASE_URL, EDGE_REDIS_URL: await freshRedis(inject('redisUrl')) },
      };
    },
  },
  {
    name: 'Redis that evicts',
    ...{
      severity: 'warning',
      check: 'session store',
      message: /maxmemory-policy is allkeys-lru/,
      setIn: /EDGE_REDIS_URL/,
    },
    fix: /CONFIG SET maxmemory-policy noeviction/,
    break: () =>
      onPrivateRedis(['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'], 'CONFIG SET maxmemory-policy noeviction'),
  },
  {
    name: 'Redis that is a replica',
    ...{ severity: 'error', check: 'session store', message: /is a replica/, setIn: /EDGE_REDIS_URL/ },
    fix: /name the primary/,
    break: () => onPrivateRedis(['REPLICAOF', '127.0.0.1', '1'], 'REPLICAOF NO ONE'),
  },
  {
    name: 'a port that is taken',
    ...{ severity: 'error', check: 'ports', message: /Another program listens/, setIn: /EDGE_PORT/ },
    fix: /stop the other program/,
    async break() {
      const port = await freePort();
      const server = createServer((socket) => socket.resume()).listen(port, '127.0.0.1');
      const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
      const env = { EDGE_PORT: String(port) };
      return {
        env,
        async mend() {
          await close();
        },
        after: env,
      };
    },
  },
  {
    name: 'an address of another machine',
    ...{ severity: 'error', check: 'ports', message: /no network interface/, setIn: /EDGE_HOST/ },
    fix: /use an address of this machine/,
    break: () => ({ env: { EDGE_HOST: '192.0.2.1' }, after: { EDGE_HOST: '127.0.0.1' } }),
  },
  {
    name: 'a port of the routers that cannot be bound',
    ...{ severity: 'error', check: 'ports', message: /192\.0\.2\.1:6262/, setIn: /EDGE_ROUTERS_BIND/ },
    fix: /use an address of this machine/,
    break: () => ({
      env: { EDGE_ROUTERS_BIND: '192.0.2.1:6262' },
      after: { EDGE_ROUTERS_BIND: '127.0.0.1:0' },
    }),
  },
  {
    name: 'a name without an address',
    ...{
      severity: 'error',
      check: 'names',
      message: /no-such-host\.invalid has no address/,
      setIn: /EDGE_API_ADDRESS/,
    },
    fix: /correct the name/,
    break: () => ({
      env: { EDGE_API_ADDRESS: 'no-such-host.invalid:1280' },
      after: { EDGE_API_ADDRESS: 'localhost:1280' },
    }),
  },
  {
    name: 'too little memory for objects',
    ...{ severity: 'warning', check: 'resources', message: /Node may use only \d+ MiB/, setIn: null },
    fix: /--max-old-space-size/,
    break: () => ({
      env: { NODE_OPTIONS: '--max-old-space-size=48 --max-semi-space-size=4' },
      after: { NODE_OPTIONS: '--max-old-space-size=256' },
    }),
  },
];

const postgresOn = (url: string, change: (parsed: URL) => void) => {
  const parsed = new URL(url);
  change(parsed);
  return parsed.href;
};

async function onPostgres(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A Redis of its own, and PostgreSQL, after one command. */
async function onPrivateRedis(command: readonly string[], remedy: string): Promise<Broken> {
  const redis = await startPrivateRedis();
  const send = async (words: readonly string[]) => {
    const client = await createRedisClient({ url: redis.url }).connect();
    await client.sendCommand(words);
    await client.close();
  };
  await send(command);
  const env = { EDGE_DATABASE_URL: await migratedDatabase(), EDGE_REDIS_URL: redis.url };
  return {
    env,
    async mend() {
      await send(remedy.split(' '));
    },
    after: env,
    end: async () => redis[Symbol.asyncDispose](),
  };
}
