import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runExecutable } from '../support/executable.ts';
import { createWire } from '../support/request.ts';

const admin = { EDGE_ADMIN_USERNAME: 'root-user', EDGE_ADMIN_PASSWORD: 'a password of the admin' };
const credentials = { username: admin.EDGE_ADMIN_USERNAME, password: admin.EDGE_ADMIN_PASSWORD };
let dataDir = '';

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'edge-executable-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const start = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  runExecutable(args, { EDGE_DATA_DIR: dataDir, ...env });

describe('the executable', () => {
  it('generates a password, prints it once, keeps it over restarts and ends with 0 on SIGTERM', async () => {
    const first = start();
    const url = await first.ready;
    const [, password] = /shown only now: (\S+)/.exec(first.stdout()) ?? [];
    expect(password).toHaveLength(24);
    const wire = createWire(url, join(dataDir, 'pki/ca.pem'));
    const body = { username: 'admin', password };
    const session = await wire('POST', '/edge/client/v1/authenticate?method=password', { body });
    expect(session.status).toBe(200);
    first.process.kill('SIGTERM');
    expect(await first.exited).toBe(0);

    const second = start([], { EDGE_ADMIN_PASSWORD: 'another password' });
    const again = createWire(await second.ready, join(dataDir, 'pki/ca.pem'));
    expect(second.stdout()).not.toContain('shown only now');
    const status = async (given: object) =>
      (await again('POST', '/edge/client/v1/authenticate?method=password', { body: given })).status;
    expect(await status(body)).toBe(200);
    expect(await status({ ...body, password: 'another password' })).toBe(401);
    const kept = await again('GET', '/edge/client/v1/current-api-session', { token: session.body.data.token });
    expect(kept.status).toBe(200);
    second.process.kill('SIGINT');
    expect(await second.exited).toBe(0);
    expect(first.stderr() + second.stderr()).not.toContain(password);
  });

  it('keeps its keys for itself', async () => {
    const server = start([], admin);
    await server.ready;
    const keys = (readdirSync(dataDir, { recursive: true }) as string[]).filter((file) => file.endsWith('.key'));
    expect(keys.length).toBeGreaterThanOrEqual(3);
    for (const file of keys) expect(statSync(join(dataDir, file)).mode & 0o777, file).toBe(0o600);
    expect(readFileSync(join(dataDir, 'pki/ca.pem'), 'utf8')).toContain('BEGIN CERTIFICATE');
    server.process.kill('SIGTERM');
    await server.exited;
  });

  it('answers every request that was under way when it is asked to stop', async () => {
    const server = start([], admin);
    const wire = createWire(await server.ready, join(dataDir, 'pki/ca.pem'));
    const attempts = Array.from({ length: 8 }, () =>
      wire('POST', '/edge/client/v1/authenticate?method=password', { body: credentials }),
    );
    await attempts[0];
    server.process.kill('SIGTERM');
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
    expect(await server.exited).toBe(0);
  });

  it('names every wrong setting at once and ends with 2', async () => {
    const config = join(dataDir, 'edge.yaml');
    writeFileSync(config, 'edge:\n  api:\n    sessionTimeout: soon\nweb:\n  prot: 5\n');
    const server = start(['--config', config, '--host=not a host'], {
      EDGE_PORT: '99999',
      EDGE_ADMIN_PASSWORD: 'short',
      EDGE_DATABASE_URL: 'mysql://secret@host/db',
      EDGE_SEAL_KEY_FILE: '/no/such/file',
      EDGE_TRUSTED_PROXIES: '10.0.0.0/99',
    });
    expect(await server.exited).toBe(2);
    for (const name of [
      'edge.api.sessionTimeout',
      'web.prot',
      '--host',
      'EDGE_PORT',
      'EDGE_ADMIN_PASSWORD',
      'EDGE_DATABASE_URL',
      'EDGE_SEAL_KEY_FILE',
      'EDGE_TRUSTED_PROXIES',
      config,
    ]) {
      expect(server.stderr()).toContain(name);
    }
    expect(server.stderr()).not.toContain('secret@host');
    expect(server.stderr()).not.toContain('short');
  });

  it('names the address that is in use and ends with 3', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const server = start([], { ...admin, EDGE_PORT: String(port) });
    expect(await server.exited).toBe(3);
    expect(server.stderr()).toContain(String(port));
    expect(server.stderr()).toContain('EDGE_PORT');
    taken.close();
  });

  it('names the store that cannot be reached and ends with 3, without its password', async () => {
    for (const env of [
      { EDGE_REDIS_URL: 'redis://:hidden@127.0.0.1:1' },
      { EDGE_DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/d' },
    ]) {
      const server = start([], { ...admin, ...(env as Record<string, string>) });
      expect(await server.exited).toBe(3);
      expect(server.stderr()).toContain('EDGE_REDIS_URL');
      expect(server.stderr()).not.toContain('hidden');
    }
  });

  it('has init, config check, admin reset-password, --help and --version', async () => {
    const run = async (args: string[], env: Record<string, string> = {}) => {
      const process = start(args, env);
      return { code: await process.exited, out: process.stdout(), err: process.stderr() };
    };
    expect(await run(['config', 'check'])).toMatchObject({ code: 0 });
    expect(existsSync(join(dataDir, 'pki'))).toBe(false);
    expect(await run(['config', 'check'], { EDGE_SESSION_TIMEOUT: '10ms' })).toMatchObject({ code: 2 });
    expect(await run(['init'], admin)).toMatchObject({ code: 0 });
    expect(await run(['init'], admin)).toMatchObject({ code: 2 });
    expect((await run(['--version'])).out).toMatch(/^v\d+\.\d+\.\d+/);
    expect((await run(['--help'])).out).toContain('admin reset-password');
    for (const command of ['dance', 'constructor']) expect(await run([command])).toMatchObject({ code: 2 });
    const reset = await run(['admin', 'reset-password']);
    expect(reset.code).toBe(0);
    const [, password] = /shown only now: (\S+)/.exec(reset.out) ?? [];
    const server = start([], admin);
    const wire = createWire(await server.ready, join(dataDir, 'pki/ca.pem'));
    const status = async (given: object) =>
      (await wire('POST', '/edge/client/v1/authenticate?method=password', { body: given })).status;
    expect(await status({ username: 'root-user', password })).toBe(200);
    expect(await status(credentials)).toBe(401);
    server.process.kill('SIGTERM');
    await server.exited;
  });

  it('warns of PostgreSQL without Redis', async () => {
    const server = start([], { ...admin, EDGE_DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    expect(await server.exited).not.toBe(0);
    expect(server.stderr()).toContain('EDGE_DATABASE_URL without EDGE_REDIS_URL');
  });
});
