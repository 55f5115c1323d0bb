import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createRoot } from '../../src/pki/certificates.ts';
import type { Executable } from '../support/executable.ts';
import { runExecutable } from '../support/executable.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshRedis } from '../support/redis.ts';
import { sql } from '../support/sql.ts';

// Most tests start several processes.
vi.setConfig({ testTimeout: 60_000 });

const admin = { EDGE_ADMIN_PASSWORD: 'a password of the admin' };
let base = '';
let initialized = '';

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'edge-start-errors-'));
  initialized = join(base, 'initialized');
  const init = runExecutable(['init'], { EDGE_DATA_DIR: initialized, ...admin });
  expect(await init.exited, init.stderr()).toBe(0);
});
afterAll(() => {
  chmodSync(base, 0o700);
  rmSync(base, { recursive: true, force: true });
});

let copies = 0;
/** A data directory as `init` has left it. */
function dataDirectory(): string {
  copies += 1;
  const directory = join(base, `copy-${copies}`);
  cpSync(initialized, directory, { recursive: true });
  return directory;
}

const start = (dataDir: string, env: Record<string, string> = {}, args: string[] = []) =>
  runExecutable(args, { EDGE_DATA_DIR: dataDir, ...admin, ...env });

async function refused(server: Executable) {
  const code = await Promise.race([server.exited, server.ready.then(() => 'it serves')]);
  if (code === 'it serves') server.process.kill('SIGKILL');
  expect(server.stderr()).not.toMatch(/^\s+at /m);
  return { code, text: server.stderr() };
}

async function stop(server: Executable): Promise<void> {
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);
}

/** A program that runs the executable in a shell, after `prepare`. Root has no more rights than other users. */
function inShell(dataDir: string, prepare: string): Executable {
  const drop = process.geteuid?.() === 0 ? 'setpriv --bounding-set=-dac_override,-dac_read_search ' : '';
  const wrapper = join(base, `wrapper-${copies}.mjs`);
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const command = `${prepare} exec ${drop}"${process.execPath}" --conditions=source --no-warnings "${main}"`;
  writeFileSync(
    wrapper,
    `import { spawnSync } from 'node:child_process';
    const { status } = spawnSync('sh', ['-c', ${JSON.stringify(command)}], { stdio: 'inherit' });
    process.exit(status ?? 1);`,
  );
  return runExecutable([], { EDGE_DATA_DIR: dataDir, ...admin }, wrapper);
}

describe('a start that cannot succeed', () => {
  it.each([
    ['may not be read', 0o000],
    ['may not be written', 0o500],
  ])('names the data directory when it %s', async (_, mode) => {
    const dataDir = dataDirectory();
    chmodSync(dataDir, mode);
    const { code, text } = await refused(inShell(dataDir, ''));
    chmodSync(dataDir, 0o700);
    expect(text).toContain(`${dataDir} cannot be used: this user may not read and write it`);
    expect(text).toContain('set in: EDGE_DATA_DIR, environment');
    expect(text).toContain('to fix:');
    expect(code).toBe(3);
  });

  it('names the data directory when a file is in its place, and the settings file that has it', async () => {
    const dataDir = join(base, 'file');
    writeFileSync(dataDir, '');
    const config = join(base, 'edge.yaml');
    writeFileSync(config, `dataDir: ${dataDir}\n`);
    const server = runExecutable(['--config', config], admin);
    const { code, text } = await refused(server);
    expect(text).toContain(`${dataDir} cannot be used: it is not a directory`);
    expect(text).toContain(`set in: dataDir, ${config}`);
    expect(code).toBe(3);
  });

  it('names the file that it cannot write when there is no space', async () => {
    const { code, text } = await refused(inShell(join(base, 'full'), 'ulimit -f 0;'));
    expect(text).toContain(join(base, 'full'));
    expect(text).toContain('a file may not grow');
    expect(code).toBe(3);
  });

  it('names each damaged database, with what to do, and the damaged key, all at once', async () => {
    const dataDir = dataDirectory();
    for (const name of ['entities.db', 'sessions.db']) {
      writeFileSync(join(dataDir, name), 'this was a database once'.repeat(1_000));
    }
    writeFileSync(join(dataDir, 'keys/seal.key'), 'short\n');
    writeFileSync(join(dataDir, 'pki/server.pem'), '');
    const { code, text } = await refused(start(dataDir));
    for (const file of ['entities.db', 'sessions.db', 'keys/seal.key', 'pki/server.pem']) {
      expect(text).toContain(join(dataDir, file));
    }
    expect(text).toContain('move it away, with its -wal and -shm files. All API sessions end');
    expect(code).toBe(2);
    expect(readFileSync(join(dataDir, 'entities.db'), 'utf8')).toContain('this was a database once');
  });

  it('names the database that is damaged behind its header', async () => {
    const dataDir = dataDirectory();
    const file = join(dataDir, 'entities.db');
    writeFileSync(file, readFileSync(file).subarray(0, 8_192));
    const { code, text } = await refused(start(dataDir));
    expect(text).toContain(`${file} cannot be used: the file is damaged`);
    expect(code).toBe(3);
  });

  it('names a database of a newer version', async () => {
    const dataDir = dataDirectory();
    const insert = `insert into kysely_migration values ('9999-from-the-future', '2999-01-01T00:00:00.000Z')`;
    await sql({ options: { dataDir } }, insert);
    const { code, text } = await refused(start(dataDir));
    expect(text).toContain(`${join(dataDir, 'entities.db')}: a newer version of the controller`);
    expect(text).toContain('9999-from-the-future');
    expect(code).toBe(3);

    const databaseUrl = await freshDatabase(inject('postgresUrl'));
    const env = { EDGE_DATABASE_URL: databaseUrl, EDGE_REDIS_URL: await freshRedis(inject('redisUrl')) };
    const init = start(join(base, 'postgres'), env, ['init']);
    expect(await init.exited, init.stderr()).toBe(0);
    await sql({ options: { databaseUrl } }, insert);
    const onPostgres = await refused(start(join(base, 'postgres'), env));
    expect(onPostgres.text).toMatch(/PostgreSQL at .* a newer version of the controller .*9999-from-the-future/);
    expect(onPostgres.code).toBe(3);
  });

  it('does not make a new key beside data that the missing one has sealed', async () => {
    const dataDir = dataDirectory();
    const file = join(dataDir, 'keys/seal.key');
    const key = readFileSync(file);
    rmSync(file);
    const { code, text } = await refused(start(dataDir));
    expect(text).toContain(`${file} is missing`);
    expect(text).toContain('EDGE_SEAL_KEY');
    expect(code).toBe(2);
    expect(readdirSync(join(dataDir, 'keys'))).toEqual([]);

    const other = await refused(start(dataDir, { EDGE_SEAL_KEY: Buffer.alloc(32).toString('base64') }));
    expect(other.text).toContain('is not the key of this database');
    expect(other.text).toContain('set in: EDGE_SEAL_KEY, environment');
    expect(other.code).toBe(2);
    const server = start(dataDir, { EDGE_SEAL_KEY: key.toString().trim() });
    await server.ready;
    await stop(server);
  });

  it('names each file of the PKI that is not right', async () => {
    const dataDir = dataDirectory();
    const pki = join(dataDir, 'pki');
    writeFileSync(join(pki, 'root.key'), 'no key');
    rmSync(join(pki, 'intermediate.pem'));
    const other = execFileSync('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']);
    writeFileSync(join(pki, 'server.key'), other);
    const { code, text } = await refused(start(dataDir));
    expect(text).toContain(`${join(pki, 'root.key')} is damaged`);
    expect(text).toContain('intermediate.pem missing');
    expect(text).toContain(`${join(pki, 'server.key')} is not the key of server.pem`);
    expect(code).toBe(2);
  });

  it('names a root that has expired', async () => {
    const dataDir = dataDirectory();
    const pki = join(dataDir, 'pki');
    const old = await createRoot(Date.now() - 3_651 * 86_400_000);
    writeFileSync(join(pki, 'ca.pem'), old.cert);
    writeFileSync(join(pki, 'root.key'), old.key);
    const { code, text } = await refused(start(dataDir));
    expect(text).toContain(`${join(pki, 'ca.pem')} has expired`);
    expect(text).toContain(`${join(pki, 'intermediate.pem')} was not issued by ca.pem`);
    expect(code).toBe(2);
  });
});

describe('key files', () => {
  it('that others can read are named with the command that helps', async () => {
    const dataDir = dataDirectory();
    const files = ['keys/seal.key', 'pki/server.key'].map((name) => join(dataDir, name));
    for (const file of files) chmodSync(file, 0o644);
    const server = start(dataDir);
    await server.ready;
    expect(server.stderr()).toContain(`chmod 600 ${files.join(' ')}`);
    await stop(server);
    for (const file of files) chmodSync(file, 0o600);
    const again = start(dataDir);
    await again.ready;
    expect(again.stderr()).not.toContain('chmod');
    await stop(again);
  });
});

describe('a second controller on the same data directory', () => {
  it('is refused, until the first one has ended, even by kill -9', async () => {
    const dataDir = dataDirectory();
    const first = start(dataDir);
    await first.ready;
    for (const args of [[], ['init']]) {
      const { code, text } = await refused(start(dataDir, {}, args));
      expect(text).toContain(`Another controller uses the data directory ${dataDir}`);
      expect(text).toContain('set in: EDGE_DATA_DIR, environment');
      expect(code).toBe(3);
    }
    const reset = start(dataDir, {}, ['admin', 'reset-password']);
    expect(await reset.exited, reset.stderr()).toBe(0);
    first.process.kill('SIGKILL');
    await first.exited;
    const second = start(dataDir);
    await second.ready;
    await stop(second);
  });

  it('is welcome when nothing but the PKI and the key is in it', async () => {
    const env = {
      EDGE_DATABASE_URL: await freshDatabase(inject('postgresUrl')),
      EDGE_REDIS_URL: await freshRedis(inject('redisUrl')),
    };
    const dataDir = join(base, 'shared');
    mkdirSync(dataDir);
    const first = start(dataDir, env);
    await first.ready;
    const second = start(dataDir, env);
    await second.ready;
    expect(existsSync(join(dataDir, 'lock.db'))).toBe(false);
    await Promise.all([stop(first), stop(second)]);
  });
});

it('a database that another program has locked is no damage', async () => {
  const dataDir = dataDirectory();
  const file = join(dataDir, 'entities.db');
  const holder = new Database(file);
  holder.pragma('locking_mode = exclusive');
  holder.exec('begin exclusive');
  const { code, text } = await refused(start(dataDir));
  holder.close();
  expect(text).toContain(file);
  expect(text).toContain('another process');
  expect(code).toBe(3);
});
