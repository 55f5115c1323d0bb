import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import type { TestController } from './controller.ts';
import { runExecutable } from './executable.ts';
import { freshDatabase } from './postgres.ts';
import { freshRedis } from './redis.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A directory that is removed when the test has finished. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'edge-maintenance-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Where nothing is yet: a new data directory, and on PostgreSQL an empty database. */
export const emptyPlaces: Readonly<Record<'SQLite' | 'PostgreSQL', () => Promise<ControllerOptions>>> = {
  SQLite: async () => ({ dataDir: join(temporaryDirectory(), 'data') }),
  PostgreSQL: async () => ({
    dataDir: join(temporaryDirectory(), 'data'),
    databaseUrl: await freshDatabase(inject('postgresUrl')),
    redisUrl: await freshRedis(inject('redisUrl')),
  }),
};

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The settings of a controller as the environment of the executable. */
export function environmentOf({ dataDir, databaseUrl, redisUrl, sealKey }: ControllerOptions): Record<string, string> {
  return {
    ...(dataDir && { EDGE_DATA_DIR: dataDir }),
    ...(databaseUrl && { EDGE_DATABASE_URL: databaseUrl }),
    ...(redisUrl && { EDGE_REDIS_URL: redisUrl }),
    ...(sealKey && { EDGE_SEAL_KEY: sealKey.toString('base64') }),
  };
}

/** Runs a command of the executable with the settings of a controller, beside it. */
export async function maintain(options: ControllerOptions, ...args: readonly string[]): Promise<Ended> {
  const { exited, stdout, stderr } = runExecutable(args, environmentOf(options));
  const code = await exited;
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Runs commands in a directory in which `edge-controller` is on the path. */
export async function runCommands(directory: string, commands: string, env: Record<string, string>) {
  const bin = join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = `#!/bin/sh\nexec "${process.execPath}" --conditions=source --no-warnings "${main}" "$@"\n`;
  writeFileSync(join(bin, 'edge-controller'), program, { mode: 0o755 });
  const shell = spawn('sh', ['-e', '-c', commands], {
    cwd: directory,
    env: {
      ...{ PATH: [bin, process.env.PATH].join(delimiter), NODE_COMPILE_CACHE: inject('compileCache'), EDGE_PORT: '0' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(shell, 'close');
  return { code, output };
}

/** A writer that creates identities, each with an enrollment, until it is told to stop. */
export interface Writer {
  /** The ids of the identities that were acknowledged up to now. */
  readonly acknowledged: ReadonlySet<string>;
  /** Resolves when this many are acknowledged. */
  reaches(count: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startWriter({ wire, signIn }: TestController): Promise<Writer> {
  const token = await signIn();
  const acknowledged = new Set<string>();
  const failures: string[] = [];
  let isStopped = false;
  const write = async (lane: number) => {
    for (let number = 0; !isStopped; number += 1) {
      const name = `person-${lane}-${number}`;
      const body = { name, type: 'User', isAdmin: false, roleAttributes: [`lane-${lane}`], enrollment: { ott: true } };
      const created = await wire('POST', '/edge/management/v1/identities', { token, body });
      if (created.status === 201) acknowledged.add(created.body.data.id);
      else failures.push(created.text);
    }
  };
  const lanes = Array.from({ length: 4 }, (_, lane) => write(lane));
  return {
    acknowledged,
    async reaches(count) {
      while (acknowledged.size < count && failures.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
      if (failures.length > 0) throw new Error(`${failures.length} writes failed: ${failures[0]}`);
    },
  };
}
