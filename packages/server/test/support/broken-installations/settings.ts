import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { inject } from 'vitest';
import { migratedDatabase } from '../migrated-database.ts';
import { freshRedis } from '../redis.ts';
import type { Installation } from './installation.ts';

/** Settings that are wrong, or probably not meant. */
export const settings: readonly Installation[] = [
  {
    name: 'a port that is none',
    ...{ severity: 'error', check: 'settings', message: /EDGE_PORT: got "99999"/, setIn: /environment/ },
    fix: /an integer from 0 to 65535/,
    break: () => ({ env: { EDGE_PORT: '99999' }, after: {} }),
  },
  {
    name: 'an unknown key in the settings file',
    ...{ severity: 'error', check: 'settings', message: /web\.prot: got an unknown key/, setIn: /edge\.yaml/ },
    fix: /remove the key or correct its spelling/,
    break: ({ beside }) => {
      const config = join(beside, 'edge.yaml');
      writeFileSync(config, 'web:\n  prot: 0\n');
      return {
        env: { EDGE_CONFIG: config },
        mend() {
          writeFileSync(config, 'web:\n  port: 0\n');
        },
        after: { EDGE_CONFIG: config },
      };
    },
  },
  {
    name: 'a misspelt variable',
    ...{ severity: 'warning', check: 'settings', message: /EDGE_SESION_TIMEOUT is no setting/, setIn: /environment/ },
    fix: /write EDGE_SESSION_TIMEOUT instead/,
    break: () => ({
      env: { EDGE_SESION_TIMEOUT: '1h' },
      after: { EDGE_SESSION_TIMEOUT: '1h' },
    }),
  },
  {
    name: 'a secret in a file that others can read',
    ...{ severity: 'warning', check: 'settings', message: /Other users can read or write \S+secret/, setIn: /_FILE/ },
    fix: /chmod 600 \S+secret/,
    break: ({ beside }) => {
      const file = join(beside, 'secret');
      writeFileSync(file, 'a password of the admin\n', { mode: 0o644 });
      const env = { EDGE_ADMIN_PASSWORD_FILE: file };
      return {
        env,
        mend() {
          chmodSync(file, 0o600);
        },
        after: env,
      };
    },
  },
  {
    name: 'traces that go to another machine without TLS',
    ...{ severity: 'warning', check: 'settings', message: /Traces are sent to traces\.example:4318 without TLS/ },
    ...{ setIn: /EDGE_TRACES_URL, environment/, fix: /https:\/\// },
    break: () => ({
      env: { EDGE_TRACES_URL: 'http://traces.example:4318/v1/traces' },
      after: { EDGE_TRACES_URL: 'https://traces.example:4318/v1/traces' },
    }),
  },
  {
    name: 'connections without TLS that another setting forbids',
    ...{
      severity: 'error',
      check: 'settings',
      message: /EDGE_REDIS_URL: got Redis at redis\.example:6379 .*without TLS/,
    },
    ...{ setIn: /environment/, fix: /rediss:\/\// },
    break: () => ({
      env: { EDGE_STRICT_TRANSPORT: 'true', EDGE_REDIS_URL: 'redis://:hidden@redis.example:6379' },
      after: {},
    }),
  },
  {
    name: 'an audit log that has nearly its size',
    ...{ severity: 'warning', check: 'entity database', message: /The audit log has about 2 MiB of 2/ },
    ...{ setIn: /EDGE_AUDIT_MAX_SIZE, environment/, fix: /raise EDGE_AUDIT_MAX_SIZE/ },
    break: ({ dataDir }) => {
      const database = new Database(join(dataDir, 'entities.db'));
      database.exec(`with recursive counter (n) as (select 1 union all select n + 1 from counter limit 2_000)
        insert into "auditLog" ("sequence", "createdAt", "event", "outcome", "details", "hash")
        select (select "sequence" from "auditHead") + n, '2026-01-01T00:00:00.000Z', 'x', 'success', '{}', 'x' from counter;
        update "auditHead" set "sequence" = "sequence" + 2_000`);
      database.close();
      return { env: { EDGE_AUDIT_MAX_SIZE: '2' }, after: { EDGE_AUDIT_MAX_SIZE: '3' } };
    },
  },
  {
    name: 'API sessions that end too early',
    ...{ severity: 'warning', check: 'settings', message: /end after 5 s/, setIn: /EDGE_SESSION_TIMEOUT, environment/ },
    fix: /1m or more/,
    break: () => ({ env: { EDGE_SESSION_TIMEOUT: '5s' }, after: { EDGE_SESSION_TIMEOUT: '1m' } }),
  },
  {
    name: 'no address for clients of other machines',
    ...{ severity: 'warning', check: 'settings', message: /tells clients to connect to localhost/, setIn: /EDGE_HOST/ },
    fix: /set EDGE_API_ADDRESS/,
    break: () => ({
      env: { EDGE_HOST: '0.0.0.0' },
      after: { EDGE_HOST: '0.0.0.0', EDGE_API_ADDRESS: 'localhost:1280' },
    }),
  },
  {
    name: 'PostgreSQL without Redis',
    ...{ severity: 'warning', check: 'settings', message: /a file of its own/, setIn: /EDGE_DATABASE_URL/ },
    fix: /set EDGE_REDIS_URL/,
    async break() {
      const EDGE_DATABASE_URL = await migratedDatabase();
      return {
        env: { EDGE_DATABASE_URL },
        after: { EDGE_DATABASE_URL, EDGE_REDIS_URL: await freshRedis(inject('redisUrl')) },
      };
    },
  },
  {
    name: 'a file of breached passwords that is not sorted',
    ...{ severity: 'error', check: 'passwords', message: /its lines are not sorted/, setIn: /EDGE_BREACHED_PASSWORDS/ },
    fix: /sorted, or remove EDGE_BREACHED_PASSWORDS/,
    break: ({ beside }) => {
      const file = join(beside, 'breached.txt');
      const lines = ['F'.repeat(40), '0'.repeat(40)];
      writeFileSync(file, `${lines.join('\n')}\n`);
      const env = { EDGE_BREACHED_PASSWORDS: file };
      return {
        env,
        mend() {
          writeFileSync(file, `${lines.toReversed().join('\n')}\n`);
        },
        after: env,
      };
    },
  },
  {
    name: 'common passwords that are accepted',
    ...{ severity: 'warning', check: 'passwords', message: /among the most common ones/, setIn: /EDGE_REFUSE_COMMON/ },
    fix: /remove EDGE_REFUSE_COMMON_PASSWORDS/,
    break: () => ({ env: { EDGE_REFUSE_COMMON_PASSWORDS: 'false' }, after: {} }),
  },
];
