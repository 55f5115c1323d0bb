import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/index.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { useSlowHashes } from '../support/hash-cost.ts';
import { createWire } from '../support/request.ts';

const signIn = '/edge/client/v1/authenticate?method=password';

describe.each(storePairs)('new settings of a running controller on $stores', ({ open }) => {
  it('limit attempts from the next one on', async () => {
    await using server = await startController({ ...(await open()), passwordAttempts: 0 });
    const attempts = async (count: number) => {
      const body = { username: 'nobody', password: 'a wrong password' };
      const all = Array.from({ length: count }, () => server.wire('POST', signIn, { body }));
      return (await Promise.all(all)).filter(({ status }) => status === 429).length;
    };
    expect(await attempts(8)).toBe(0);
    const change = await server.controller.reload({ signInRate: 2, signInBurst: 3 });
    expect(change.needRestart).toEqual([]);
    expect(change.changed).toEqual([
      { setting: 'web.signInRate', from: 0, to: 2 },
      { setting: 'web.signInBurst', from: 30, to: 3 },
    ]);
    expect(await attempts(8)).toBe(5);
    await server.controller.reload({ signInRate: 0 });
    expect(await attempts(8)).toBe(0);
  });
});

describe('new settings of a running controller', () => {
  it('change which origins and proxies count, and how many passwords may wait', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
    await using server = await startController({ log });
    const addresses = () => lines.flatMap((line) => /"clientAddress":"([^"]+)"/.exec(line)?.[1] ?? []);
    const get = () =>
      server.wire('GET', '/edge/client/v1/version', {
        headers: { origin: 'https://app.example.org', 'x-forwarded-for': '203.0.113.9' },
      });
    const before = await get();
    expect(before.headers['access-control-allow-origin']).toBeUndefined();
    await server.controller.reload({ corsOrigins: ['https://app.example.org'], trustedProxies: ['127.0.0.1'] });
    const after = await get();
    expect(after.headers['access-control-allow-origin']).toBe('https://app.example.org');
    await expect.poll(addresses).toEqual(['127.0.0.1', '203.0.113.9']);

    useSlowHashes();
    await server.controller.reload({ hashConcurrency: 1, hashQueue: 0 });
    const all = Array.from({ length: 6 }, () => server.wire('POST', signIn, { body: adminCredentials }));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
  });

  it('that need a restart change nothing, and are named without their values', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
    await using server = await startController({ log });
    const reloaded: object[] = [];
    server.controller.events.on('controller.settingsReloaded', (event) => reloaded.push(event));
    const change = await server.controller.reload({
      ...{ port: 4711, sessionTimeout: 60_000, sealKey: Buffer.alloc(32, 7), totpIssuer: 'Elsewhere' },
    });
    const needRestart = ['web.port', 'edge.api.sessionTimeout', 'edge.sealKey'];
    expect(change.needRestart).toEqual(needRestart);
    expect(server.controller.settings).toMatchObject({ port: 0, totpIssuer: 'Elsewhere' });
    expect(reloaded).toEqual([{ changed: ['edge.totp.issuer'], needRestart }]);
    const warning = lines.find((line) => line.includes('need a restart')) ?? '';
    expect(JSON.parse(warning)).toMatchObject({ level: 40, needRestart });
    expect(lines.join()).not.toContain(Buffer.alloc(32, 7).toString('base64'));
  });

  it('come with the files of the PKI as they are now', async () => {
    const clock = { now: Date.now() };
    await using server = await startController({ clock: () => clock.now });
    const changed: string[] = [];
    server.controller.events.on('controller.certificateChanged', ({ fingerprint }) => changed.push(fingerprint));
    await server.controller.reload({});
    expect(changed).toEqual([]);
    // The server certificate is valid for 397 days.
    clock.now += 380 * 86_400_000;
    await server.controller.reload({});
    expect(changed).toHaveLength(1);
  });
});

describe('SIGHUP', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'edge-reload-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('reads the settings file again; a file with problems changes nothing, and the log says what is wrong', async () => {
    const config = join(directory, 'edge.yaml');
    writeFileSync(config, 'log: {level: warn}\nweb: {signInRate: 1000, signInBurst: 1000}');
    const server = runExecutable(['--config', config], {
      ...{ EDGE_DATA_DIR: join(directory, 'data'), EDGE_ADMIN_PASSWORD: 'a password of the admin' },
      EDGE_LOG_LEVEL: undefined,
    });
    const wire = createWire(await server.ready, join(directory, 'data', 'pki/ca.pem'));
    const logged = (text: string) => expect.poll(() => server.stderr()).toContain(text);
    const status = async () =>
      (await wire('POST', signIn, { body: { username: 'nobody', password: 'a wrong password' } })).status;

    writeFileSync(config, 'log: {level: loud}\nweb: {signInRate: 1, signInBurst: 1, colour: red}');
    server.process.kill('SIGHUP');
    await logged('the settings cannot be used: nothing has changed');
    const refused = JSON.parse(server.stderr().trim().split('\n').at(-1) ?? '');
    expect(refused.problems).toMatchObject([{ setting: 'web.colour' }, { setting: 'log.level', got: '"loud"' }]);
    expect([await status(), await status()]).toEqual([401, 401]);

    writeFileSync(
      config,
      'log: {level: info}\nweb: {signInRate: 1, signInBurst: 1}\nedge: {api: {sessionTimeout: 5m}}',
    );
    server.process.kill('SIGHUP');
    await logged('settings were read again');
    expect(server.stderr()).toContain('"setting":"log.level","from":"warn","to":"info"');
    expect(server.stderr()).toContain('"needRestart":["edge.api.sessionTimeout"]');
    expect([await status(), await status()]).toContain(429);
    await logged('"msg":"request"');

    server.process.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });
});
