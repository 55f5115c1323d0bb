import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { aptInstall } from '../../../../scripts/apt-install.ts';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';

const databases = 10_000;

/** A Redis of one's own that can go away and come back on the same port. It keeps nothing. */
export interface PrivateRedis extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** Freezes the process: connections stay open and nothing is answered. */
  pause(): void;
  resume(): void;
}

/** A TCP port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/**
 * The Redis of a test run: `REDIS_URL`, else a server of its own. The databases 1 and up of a given one are emptied.
 */
export async function startTestRedis(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.REDIS_URL;
  if (given) return { url: given, stop: async () => undefined };
  const redis = await startPrivateRedis();
  return { url: redis.url, stop: async () => redis[Symbol.asyncDispose]() };
}

/** URL of an empty database for one test on the Redis of the run. */
export async function freshRedis(redisUrl: string): Promise<string> {
  const client = createRedisClient({ url: redisUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { databases: available = '16' } = await client.configGet('databases');
    const database = ((await client.incr('edge-controller-tests')) % (Number(available) - 1)) + 1;
    await client.select(database);
    await client.flushDb();
    const url = new URL(redisUrl);
    url.pathname = `/${database}`;
    return url.href;
  } finally {
    await client.close();
  }
}

/** Starts a Redis that only the caller knows. */
export async function startPrivateRedis(): Promise<PrivateRedis> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'edge-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  const launch = launcher();
  let child: ChildProcess | null = null;
  const start = async () => {
    child = launch(port, dir);
    await answering(url, child);
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const stopping = child;
    child = null;
    if (!stopping || stopping.exitCode !== null) return;
    const exited = new Promise((resolve) => stopping.once('exit', resolve));
    stopping.kill('SIGCONT');
    stopping.kill(signal);
    await exited;
  };
  await start();
  return {
    url,
    port,
    start,
    stop,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function onPath(name: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The next folder may have it.
    }
  }
  return null;
}

type Launch = (port: number, dir: string) => ChildProcess;

function launcher(): Launch {
  // A primary waits 5 seconds for more replicas by default, before it sends its data to the first one.
  const atOnce = ['--repl-diskless-sync-delay', '0'];
  const settings = ['--save', '', '--appendonly', 'no', '--databases', String(databases), ...atOnce];
  const binary = onPath('redis-server') ?? onPath('valkey-server') ?? installed();
  if (binary) {
    return (port, dir) =>
      spawn(binary, ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...settings], { stdio: 'ignore' });
  }
  if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0) {
    return (port) =>
      spawn('docker', ['run', '--rm', '-p', `127.0.0.1:${port}:6379`, 'redis:7', 'redis-server', ...settings], {
        stdio: 'ignore',
      });
  }
  throw new Error(
    'The tests need Redis: install redis-server or valkey-server, or set REDIS_URL to one they may empty.',
  );
}

function installed(): string | null {
  return aptInstall('redis-server') ? onPath('redis-server') : null;
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  const client = createRedisClient({ url, socket: { reconnectStrategy: 50 } });
  client.on('error', () => undefined);
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Redis ended with ${code} before it answered`)));
    setTimeout(() => reject(new Error('Redis did not answer within 30 seconds')), 30_000).unref();
  });
  // Also rejects when the server is stopped long after it answered.
  failed.catch(() => undefined);
  try {
    await Promise.race([client.connect(), failed]);
  } finally {
    client.destroy();
  }
}
