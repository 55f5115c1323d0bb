import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createLogger } from '../../src/index.ts';
import type { Diagnosis } from '../../src/operate/doctor/diagnose.ts';
import { diagnose } from '../../src/operate/doctor/diagnose.ts';
import { brokenInstallations } from '../support/broken-installations/index.ts';
import type { Directories } from '../support/broken-installations/installation.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { environmentOf, maintain, temporaryDirectory } from '../support/maintenance.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { freshRedis } from '../support/redis.ts';

vi.setConfig({ testTimeout: 60_000 });

let initialized = '';
beforeAll(async () => {
  initialized = join(mkdtempSync(join(tmpdir(), 'edge-doctor-')), 'data');
  const init = runExecutable(['init'], { EDGE_DATA_DIR: initialized, EDGE_ADMIN_PASSWORD: 'a password of the admin' });
  expect(await init.exited, init.stderr()).toBe(0);
});
afterAll(() => rmSync(join(initialized, '..'), { recursive: true, force: true }));

/** The administrator of a new installation has no second factor yet. */
const asked = { EDGE_ADMIN_REQUIRE_SECOND_FACTOR: 'true' };

async function examine(env: Record<string, string>): Promise<Diagnosis & { code: number | null; text: string }> {
  const { exited, stdout, stderr } = runExecutable(['doctor', '--json'], { ...asked, ...env });
  const code = await exited;
  expect(stderr()).toBe('');
  return { ...JSON.parse(stdout()), code, text: stdout() };
}

async function administrator({ url, caFile }: Awaited<ReturnType<typeof startController>>) {
  const edge = createEdgeClient(url, { caFile });
  await edge.signIn.password(adminCredentials);
  return edge.management;
}

/** What is in a directory, to see that nothing was changed. SQLite makes and removes its own files beside a database. */
function listing(directory: string): string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/-(wal|shm)$|cache/.test(path));
  return paths.sort().map((path) => `${path} ${statSync(path).mode} ${readFileSync(path).toString('base64')}`);
}

it('finds nothing in a good installation, and has at least twenty broken ones to find', async () => {
  const { code, findings, checks } = await examine({ EDGE_DATA_DIR: initialized });
  expect(findings).toEqual([]);
  expect(code).toBe(0);
  expect(checks.length).toBeGreaterThan(5);
  expect(brokenInstallations.length).toBeGreaterThanOrEqual(20);
});

describe('a broken installation', () => {
  it.each(brokenInstallations)('with $name is named, and its remedy mends it', async (installation) => {
    const beside = temporaryDirectory();
    const directories: Directories = { dataDir: join(beside, 'data'), good: initialized, beside };
    cpSync(initialized, directories.dataDir, { recursive: true });
    chmodSync(directories.dataDir, 0o700);
    const broken = await installation.break(directories);
    try {
      const { severity, check, message, fix, setIn } = installation;
      const isIt = (finding: Diagnosis['findings'][number]) => message.test(finding.message);
      const env = { EDGE_DATA_DIR: directories.dataDir, ...broken.env };
      const before = check === 'data directory' ? [] : listing(directories.dataDir);
      const ill = await examine(env);
      const found = ill.findings.filter(isIt);
      expect(found[0], ill.text).toMatchObject({ severity, check, fix: expect.stringMatching(fix) });
      if (setIn) expect(found[0]?.setIn).toMatch(setIn);
      expect(ill.code === 0).toBe(severity === 'warning');
      expect(ill.text).not.toMatch(/hidden|postgres:postgres/);
      if (check !== 'data directory') expect(listing(directories.dataDir)).toEqual(before);

      await broken.mend?.();
      const healthy = await examine({ EDGE_DATA_DIR: directories.dataDir, ...broken.after });
      expect(healthy.findings.filter(isIt)).toEqual([]);
      expect(healthy.findings.filter((finding) => finding.severity === 'error')).toEqual([]);
      expect(healthy.code).toBe(0);
    } finally {
      await broken.end?.();
    }
  });
});

describe.each(storePairs)('the doctor on $stores', ({ open }) => {
  it('finds nothing while a controller runs, which its port belongs to', async () => {
    await using server = await startController(await open());
    const { port } = new URL(server.url);
    const { findings, code } = await examine({ ...environmentOf(server.options), EDGE_PORT: port });
    expect(findings).toEqual([]);
    expect(code).toBe(0);
    await server.signIn();
  });

  it('says when the audit log waits for its receiver', async () => {
    const clock = () => Date.now() - 3_600_000;
    await using server = await startController({ ...(await open()), clock });
    const env = { ...environmentOf(server.options), EDGE_PORT: '0' };
    expect((await examine(env)).findings).toEqual([]);
    const { findings, code } = await examine({ ...env, EDGE_AUDIT_PUSH_URL: 'http://127.0.0.1:9/v1/logs' });
    expect([code, findings.map(({ severity }) => severity)]).toEqual([0, ['warning']]);
    expect(findings[0]?.message).toMatch(
      /^\d+ entries of the audit log wait to be pushed to 127\.0\.0\.1:9, the first for (59|60) minutes$/,
    );
  });

  it('names signers whose keys come from another machine without TLS, which can be forbidden', async () => {
    await using server = await startController(await open());
    const { externalJwtSigners } = await administrator(server);
    const signer = { name: 'login', issuer: 'https://login.example', audience: 'edge', enabled: true } as const;
    const { id } = await externalJwtSigners.create({ ...signer, jwksEndpoint: 'http://login.example/jwks' });
    const here = { ...signer, name: 'here', issuer: 'http://localhost' };
    await externalJwtSigners.create({ ...here, jwksEndpoint: 'http://127.0.0.1:9/jwks' });

    const env = { ...environmentOf(server.options), EDGE_PORT: '0' };
    const { findings, code } = await examine(env);
    expect(findings).toMatchObject([
      { severity: 'warning', check: 'entity database', fix: expect.stringMatching(/https/) },
    ]);
    expect(findings[0]?.message).toBe(`The keys of the external JWT signer ${id} come from login.example without TLS`);
    expect(code).toBe(0);

    await using strict = await startController({ ...(await open()), strictTransport: true });
    const strictSigners = (await administrator(strict)).externalJwtSigners;
    const refused = strictSigners.create({ ...signer, jwksEndpoint: 'http://login.example/jwks' });
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining('https://') });
    await strictSigners.create({ ...here, jwksEndpoint: 'http://127.0.0.1:9/jwks' });
  });

  it('names identities that have rights and no second factor, until a setting asks for one', async () => {
    await using server = await startController(await open());
    const { identities } = await administrator(server);
    const other = { type: 'User', isAdmin: false } as const;
    await identities.create({ ...other, name: 'a clerk\nok: nothing', permissions: ['service.read'] });
    await identities.create({ ...other, name: 'nobody' });
    const env = { ...environmentOf(server.options), EDGE_PORT: '0' };
    const { findings, code } = await examine({ ...env, EDGE_ADMIN_REQUIRE_SECOND_FACTOR: 'false' });
    const names = '"Default Admin", "a clerk\\nok: nothing"';
    const message = `Identities with rights that sign in without a second factor: ${names}`;
    const fix = expect.stringContaining('EDGE_ADMIN_REQUIRE_SECOND_FACTOR=true');
    expect(findings).toMatchObject([{ severity: 'warning', check: 'entity database', message, fix }]);
    expect(code).toBe(0);
    expect((await examine(env)).findings).toEqual([]);
  });

  it('names auth policies that accept every signer while several are enabled, as the log of the start does', async () => {
    const options = await open();
    await using server = await startController(options);
    const { authPolicies, externalJwtSigners } = await administrator(server);
    const { primary, secondary } = await authPolicies.get('default');
    const policy = (name: string, allowedSigners: string[]) =>
      authPolicies.create({ name, primary: { ...primary, extJwt: { allowed: true, allowedSigners } }, secondary });
    const signer = (name: string, enabled: boolean) =>
      externalJwtSigners.create({
        name,
        enabled,
        issuer: name,
        audience: 'edge',
        jwksEndpoint: 'https://login.example/',
      });
    const { id } = await signer('one', true);
    await signer('off', false);
    await policy('every', []);
    await policy('named', [id]);
    const env = { ...environmentOf(server.options), EDGE_PORT: '0' };
    expect((await examine(env)).findings).toEqual([]);
    await signer('two', true);
    const message = 'Auth policies that accept the JWTs of every signer, while several are enabled: "every"';
    const fix = expect.stringContaining('allowedSigners');
    expect((await examine(env)).findings).toMatchObject([
      { severity: 'warning', check: 'entity database', message, fix },
    ]);

    await server.controller.close();
    const lines: string[] = [];
    const log = createLogger({ level: 'warn', destination: { write: (line: string) => void lines.push(line) } });
    await using _again = await startController({ ...server.options, log });
    expect(lines.map((line) => JSON.parse(line).msg)).toContain(message);
  });

  it('reports for people, with the same exit code', async () => {
    await using server = await startController(await open());
    const { code, stdout } = await maintain(server.options, 'doctor', '--host=192.0.2.1');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^ok {7}certificates$/m);
    expect(stdout).toMatch(/^ {2}error: The controller cannot listen on 192\.0\.2\.1/m);
    expect(stdout).toContain('    set in: --host, command line');
    expect(stdout).toContain('    to fix: use an address of this machine');
  });
});

it('finds clocks that differ from those of the stores', async () => {
  const env = {
    EDGE_DATA_DIR: initialized,
    EDGE_DATABASE_URL: await migratedDatabase(),
    EDGE_REDIS_URL: await freshRedis(inject('redisUrl')),
    EDGE_PORT: '0',
  };
  const clocksAt = async (ahead: number) => {
    const { findings } = await diagnose({ env, clock: () => Date.now() + ahead });
    return findings.filter(({ message }) => message.startsWith('The clock of'));
  };
  expect(await clocksAt(0)).toEqual([]);
  expect(await clocksAt(60_000)).toMatchObject([
    {
      check: 'entity database',
      severity: 'error',
      message: expect.stringMatching(/^The clock of PostgreSQL .* behind/),
    },
    { check: 'session store', severity: 'error', message: expect.stringMatching(/^The clock of Redis .* behind/) },
  ]);
  expect(await clocksAt(-5_000)).toMatchObject([
    { severity: 'warning', message: expect.stringContaining('ahead of'), fix: expect.stringContaining('NTP') },
    { severity: 'warning' },
  ]);
});
