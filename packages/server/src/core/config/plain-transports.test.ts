import { expect, it } from 'vitest';
import { plainTransports } from './plain-transports.ts';

const none = { databaseUrl: null, redisUrl: null, tracesUrl: null, auditPushUrl: null };
const verified = 'sslmode=verify-full';

it.each([
  [{ databaseUrl: 'postgres://edge:hidden@db.example/edge' }, ['databaseUrl']],
  [{ databaseUrl: 'postgres://edge@db.example/edge?sslmode=require' }, ['databaseUrl']],
  [{ databaseUrl: 'postgres://edge@10.0.0.1/edge?sslmode=no-verify' }, ['databaseUrl']],
  [{ databaseUrl: `postgres://edge@db.example/edge?${verified}` }, []],
  [{ databaseUrl: 'postgresql://edge@db.example/edge?sslmode=verify-ca&sslrootcert=ca.pem' }, []],
  [{ databaseUrl: 'postgres://edge@localhost:5432/edge' }, []],
  [{ databaseUrl: 'postgres://edge@127.0.0.2/edge' }, []],
  [{ databaseUrl: 'postgres://edge@[::1]/edge' }, []],
  [{ databaseUrl: 'postgres:///edge?host=/var/run/postgresql' }, []],
  [{ databaseUrl: 'postgres://edge@%2Fvar%2Frun%2Fpostgresql/edge' }, []],
  [{ databaseUrl: 'postgres://edge@localhost/edge?host=db.example' }, ['databaseUrl']],
  [{ redisUrl: 'redis://:hidden@cache.example:6379' }, ['redisUrl']],
  [{ redisUrl: 'rediss://cache.example' }, []],
  [{ redisUrl: 'redis://[::ffff:127.0.0.1]:6379' }, []],
  [{ redisUrl: 'redis://localhost.example' }, ['redisUrl']],
  [{ tracesUrl: 'http://collector:4318/v1/traces' }, ['tracesUrl']],
  [{ tracesUrl: 'http://localhost.:4318/v1/traces' }, []],
  [{ tracesUrl: 'https://collector/v1/traces' }, []],
  [{ auditPushUrl: 'http://collector:4318/v1/logs' }, ['auditPushUrl']],
  [{ auditPushUrl: 'http://127.0.0.1:4318/v1/logs' }, []],
])('%o has plain transports: %o', (urls, expected) => {
  const found = plainTransports({ ...none, ...urls });
  expect(found.map(({ setting }) => setting)).toEqual(expected);
  expect(JSON.stringify(found)).not.toContain('hidden');
});
