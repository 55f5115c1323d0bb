import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { runExecutable } from '../support/executable.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshRedis } from '../support/redis.ts';

const preload = fileURLToPath(new URL('../support/loaded-modules.mjs', import.meta.url));
let dataDir = '';

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'edge-start-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

interface Start {
  readonly packages: readonly string[];
  readonly compileCache: string | null;
}

/** Starts, waits for the ready line and stops. */
async function startOnce(env: Record<string, string> = {}): Promise<Start> {
  const server = runExecutable([], {
    EDGE_DATA_DIR: dataDir,
    EDGE_ADMIN_PASSWORD: 'a password of the admin',
    NODE_OPTIONS: `--import=${preload}`,
    NODE_COMPILE_CACHE: undefined,
    ...env,
  });
  await server.ready;
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  return JSON.parse(/^loaded (.*)$/m.exec(server.stdout())?.[1] ?? 'null');
}

describe('a start', () => {
  it('loads only what its settings and its data directory ask for', async () => {
    const first = await startOnce();
    expect(first.packages).toContain('@peculiar/x509');
    const { packages } = await startOnce();
    expect(packages).toContain('better-sqlite3');
    for (const unused of ['redis', '@redis/client', 'pg', 'yaml', '@peculiar/x509', 'reflect-metadata', 'jose']) {
      expect(packages).not.toContain(unused);
    }
    const config = join(dataDir, 'edge.yaml');
    writeFileSync(config, 'web: {names: [edge.example]}');
    const renamed = await startOnce({ EDGE_CONFIG: config });
    expect(renamed.packages).toEqual(expect.arrayContaining(['yaml', '@peculiar/x509']));
  });

  it('loads no SQLite with PostgreSQL and Redis', async () => {
    const { packages } = await startOnce({
      EDGE_DATABASE_URL: await freshDatabase(inject('postgresUrl')),
      EDGE_REDIS_URL: await freshRedis(inject('redisUrl')),
    });
    expect(packages).toEqual(expect.arrayContaining(['redis', 'pg']));
    expect(packages).not.toContain('better-sqlite3');
  });

  it('keeps compiled code where only its user can write', async () => {
    const { compileCache } = await startOnce();
    const directory = join(dataDir, 'compile-cache');
    expect(dirname(compileCache ?? '')).toBe(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(compileCache ?? '').length).toBeGreaterThan(0);
  });

  it('leaves compiled code also when it is killed', async () => {
    const env = { EDGE_DATA_DIR: dataDir, EDGE_ADMIN_PASSWORD: 'a password of the admin' };
    const server = runExecutable([], { ...env, NODE_COMPILE_CACHE: undefined });
    await server.ready;
    const cached = () => (readdirSync(join(dataDir, 'compile-cache'), { recursive: true }) as string[]).length > 1;
    await expect.poll(cached).toBe(true);
    server.process.kill('SIGKILL');
    await server.exited;
  });

  it.each([
    ['others may write into it', (directory: string) => chmodSync(directory, 0o777)],
    [
      'it is a link',
      (directory: string) => {
        rmSync(directory, { recursive: true });
        mkdirSync(`${directory}-of-another`);
        symlinkSync(`${directory}-of-another`, directory);
      },
    ],
    [
      'it is a file',
      (directory: string) => {
        rmSync(directory, { recursive: true });
        writeFileSync(directory, '');
      },
    ],
    ['others may write into the data directory', () => chmodSync(dataDir, 0o777)],
  ])('starts without a compile cache when %s', async (_, spoil) => {
    mkdirSync(join(dataDir, 'compile-cache'), { mode: 0o700 });
    spoil(join(dataDir, 'compile-cache'));
    expect((await startOnce()).compileCache).toBeNull();
  });
});
