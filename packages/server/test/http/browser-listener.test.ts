import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { createController, createLogger } from '../../src/index.ts';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addDevice, networkClient, networkOf, signInWith } from '../support/certificate-users.ts';
import { writeConsole } from '../support/console-files.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { issueWithOpenssl } from '../support/operator-pki.ts';
import { createWire, wireOf } from '../support/request.ts';

const anywhere = { browserBind: '127.0.0.1:0' };
const day = 86_400_000;
const leaf = ['basicConstraints=critical,CA:FALSE', 'subjectAltName=DNS:localhost', 'extendedKeyUsage=serverAuth'];

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'edge-browsers-'));
  const ca = {
    key: 'p256',
    extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign'],
  } as const;
  issueWithOpenssl(dir, 'public-ca', { ...ca, subject: '/CN=Public CA' });
  for (const name of ['first', 'second'] as const) {
    issueWithOpenssl(dir, name, { subject: `/CN=${name}`, key: 'p384', extensions: leaf, issuer: 'public-ca' });
  }
  issueWithOpenssl(dir, 'device', { subject: '/CN=device', key: 'p256', extensions: [], issuer: 'public-ca' });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string) => join(dir, name);
const publicKeys = (name = 'first') => ({ browserCertificate: file(`${name}.pem`), browserKey: file(`${name}.key`) });
const portOf = (url: string) => Number(new URL(url).port);

/** What OpenSSL says of a handshake in which it has a certificate to send. */
function handshake(url: string, version: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const sent = ['-cert', file('device.pem'), '-key', file('device.key')];
  const args = [
    's_client',
    '-connect',
    `${hostname}:${port}`,
    '-4',
    version,
    '-msg',
    '-CAfile',
    file('public-ca.pem'),
    ...sent,
  ];
  return new Promise((resolve) => {
    execFile('openssl', args, (_error, stdout, stderr) => resolve(stdout + stderr)).stdin?.end();
  });
}

async function peerOf(url: string) {
  const socket = connect({ host: '127.0.0.1', port: portOf(url), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

const certificateOf = async (url: string) => String((await peerOf(url)).subject.CN);
const fingerprintOf = async (url: string) => (await peerOf(url)).fingerprint256;

describe.each(storePairs)('the listener for browsers, on $stores', ({ open }) => {
  let server: TestController;
  let browser: ReturnType<typeof createWire>;
  beforeAll(async () => {
    server = await startController({
      ...(await open()),
      ...anywhere,
      ...publicKeys(),
      consoleEnabled: true,
      consoleDir: writeConsole(),
    });
    browser = createWire(server.browserUrl, file('public-ca.pem'));
  });
  afterAll(async () => {
    browser.closeIdle();
    await server[Symbol.asyncDispose]();
  });

  it.each(['-tls1_2', '-tls1_3'])('asks for no client certificate, and the other one does: %s', async (version) => {
    const [ofBrowsers, ofClients] = [await handshake(server.browserUrl, version), await handshake(server.url, version)];
    expect(ofClients).toContain('CertificateRequest');
    expect(ofBrowsers).toMatch(/Verify return code: 0/);
    expect(ofBrowsers).not.toContain('CertificateRequest');
    expect(ofBrowsers).toContain('subject=CN');
  });

  it('serves both APIs, the documents and the console', async () => {
    const edge = createEdgeClient(server.browserUrl, { caFile: file('public-ca.pem') });
    await edge.signIn.password(adminCredentials);
    expect((await edge.management.identities.list()).data.length).toBeGreaterThan(0);
    expect((await edge.client.currentIdentity.get()).name).toBe('Default Admin');
    for (const path of ['/edge/docs', '/edge/client/v1/openapi.json', '/console/']) {
      const { status, headers } = await browser('GET', path);
      expect([status, headers['strict-transport-security']], path).toEqual([200, 'max-age=31536000']);
    }
  });

  it('shows its own address, and enrollments have the address for devices', async () => {
    const { body } = await browser('GET', '/version');
    const { apiBaseUrls } = body.data.apiVersions['edge-client'].v1;
    expect(apiBaseUrls).toEqual([`${server.browserUrl}/edge/client/v1`]);
    expect((await browser('GET', '/protocols')).body.data.https.address).toBe(new URL(server.browserUrl).host);
    const direct = await server.wire('GET', '/version');
    expect(direct.body.data.apiVersions['edge-client'].v1.apiBaseUrls).toEqual([`${server.url}/edge/client/v1`]);
    const [jwt] = (await browser('GET', '/network-jwts')).body.data;
    expect(JSON.parse(Buffer.from(jwt.token.split('.')[1], 'base64url').toString()).iss).toBe(`${server.url}/`);
  });

  it('refuses a sign-in with a certificate, and its CA is no anchor for clients', async () => {
    const sign = { body: {} };
    const refused = await browser('POST', '/edge/client/v1/authenticate?method=cert', sign);
    expect([refused.status, refused.body.error.code]).toEqual([401, 'INVALID_AUTH']);
    const own = createWire(server.url, server.caFile, {
      cert: readFileSync(file('device.pem'), 'utf8'),
      key: readFileSync(file('device.key'), 'utf8'),
    });
    const outsider = await own('POST', '/edge/client/v1/authenticate?method=cert', sign);
    expect(outsider.status).toBe(401);
    const bundle = await browser('GET', '/.well-known/est/cacerts');
    expect(Buffer.from(bundle.text, 'base64').includes(Buffer.from('Public CA'))).toBe(false);
  });

  it('refuses the token of a session that is bound to a certificate', async () => {
    const admin = await server.signIn();
    const cert = { allowed: true, allowExpiredCerts: true, bindSessions: true };
    const authPolicyId = await addPolicy(server, admin, { name: 'bound', primary: { ...policyRules.primary, cert } });
    const members = { authPolicyId };
    const { client } = await addDevice(server, admin, {
      client: networkClient(networkOf(server), 'a device'),
      members,
    });
    const { token } = (await signInWith(server, client)).body.data;
    const own = '/edge/client/v1/current-api-session';
    expect((await wireOf(server, client)('GET', own, { token })).status).toBe(200);
    expect((await browser('GET', own, { token })).status).toBe(401);
  });

  it('refuses other origins, and a session that has ended at either listener', async () => {
    const { status, headers } = await browser('OPTIONS', '/edge/client/v1/authenticate', {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined]);
    const token = await server.signIn();
    const through = await browser('GET', '/edge/client/v1/current-api-session', { token });
    expect([through.status, through.headers['set-cookie']]).toEqual([200, undefined]);
    await browser('DELETE', '/edge/client/v1/current-api-session', { token });
    expect((await server.wire('GET', '/edge/client/v1/current-api-session', { token })).status).toBe(401);
  });
});

describe('the listener for browsers', () => {
  it('has the certificate of the controller without one of its own, also for its own name', async () => {
    await using server = await startController({ ...anywhere, browserAddress: 'console.example.org:443' });
    const socket = connect({
      ...{ host: '127.0.0.1', port: portOf(server.browserUrl), servername: 'console.example.org' },
      ca: readFileSync(server.caFile),
    });
    await once(socket, 'secureConnect');
    expect(socket.authorized).toBe(true);
    socket.destroy();
    const browser = createWire(server.browserUrl, server.caFile);
    const { body } = await browser('GET', '/version');
    expect(body.data.apiVersions['edge-management'].v1.apiBaseUrls).toEqual([
      'https://console.example.org:443/edge/management/v1',
    ]);
    browser.closeIdle();
  });

  it('follows the certificate of the controller when that is renewed', async () => {
    const now = Date.now();
    let time = now - 1_500 * day;
    await using server = await startController({ ...anywhere, clock: () => time });
    const before = await fingerprintOf(server.browserUrl);
    time = now;
    await server.controller.reload({});
    expect(await fingerprintOf(server.browserUrl)).not.toBe(before);
    expect(await fingerprintOf(server.url)).toBe(await fingerprintOf(server.browserUrl));
  });

  it('limits attempts of an address together with the other listener', async () => {
    await using server = await startController({ ...anywhere, signInRate: 1, signInBurst: 3 });
    const browser = createWire(server.browserUrl, server.caFile);
    const statuses: number[] = [];
    for (const wire of [server.wire, browser, server.wire, browser, browser]) {
      const body = { username: 'nobody', password: 'nothing at all' };
      statuses.push((await wire('POST', '/edge/client/v1/authenticate?method=password', { body })).status);
    }
    expect(statuses.slice(0, 3)).toEqual([401, 401, 401]);
    expect(statuses.slice(3)).toContain(429);
    browser.closeIdle();
  });

  it('refuses what is no HTTP, long headers and slow connections as the other one does', async () => {
    await using server = await startController(anywhere);
    const send = async (bytes: string): Promise<string> => {
      const socket: TLSSocket = connect({
        host: '127.0.0.1',
        port: portOf(server.browserUrl),
        rejectUnauthorized: false,
      });
      socket.write(bytes);
      return text(socket);
    };
    expect(await send('GET / HTTP/1.1\r\nHost: a\r\nbro ken\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [\s\S]*nosniff/);
    expect(await send(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
    expect(await send('GET / HTTP/1.1\r\nHost:')).toMatch(/^HTTP\/1.1 408 /);
  });

  it('completes the requests that have begun when the controller stops, then refuses connections', async () => {
    const server = await startController({ ...anywhere });
    const token = await server.signIn();
    const browser = createWire(server.browserUrl, server.caFile);
    const body = { username: 'admin', password: adminCredentials.password };
    const under = browser('POST', '/edge/client/v1/authenticate?method=password', { body });
    await browser('GET', '/edge/client/v1/current-api-session', { token });
    const closed = server[Symbol.asyncDispose]();
    expect((await under).status).toBe(200);
    browser.closeIdle();
    await closed;
    await expect(browser('GET', '/version')).rejects.toThrow();
  });

  it('takes renewed files on reload, keeps what it has while they are wrong, and says so', async () => {
    const lines: string[] = [];
    const [certificate, key] = [file('live.pem'), file('live.key')];
    const put = (cert: string, of = cert) => {
      copyFileSync(file(`${cert}.pem`), certificate);
      copyFileSync(file(`${of}.key`), key);
    };
    put('first');
    const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
    const files = { browserCertificate: certificate, browserKey: key };
    await using server = await startController({ ...anywhere, ...files, log });
    expect(await certificateOf(server.browserUrl)).toBe('first');
    put('second', 'first');
    await server.controller.reload({});
    expect(await certificateOf(server.browserUrl)).toBe('first');
    expect(lines.join('')).toMatch(/certificate for browsers cannot be used.*|is not the key of the first certificate/);
    put('second');
    await server.controller.reload({});
    expect(await certificateOf(server.browserUrl)).toBe('second');
    expect(await certificateOf(server.url)).toBe('Edge Controller');
  });
});

describe('a controller whose listener for browsers cannot be opened', () => {
  const start = async (options: ControllerOptions) => {
    const dataDir = mkdtempSync(join(dir, 'data-'));
    const log = createLogger({ level: 'silent' });
    const controller = await createController({
      port: 0,
      dataDir,
      adminPassword: adminCredentials.password,
      log,
      ...options,
    });
    try {
      await controller.listen();
    } finally {
      await controller.close();
    }
  };

  it.each([
    [
      'browserCertificate',
      { browserCertificate: 'nothing.pem', browserKey: 'first.key' },
      /nothing\.pem cannot be read \(ENOENT\)/,
    ],
    [
      'browserKey',
      { browserCertificate: 'first.pem', browserKey: 'nothing.key' },
      /nothing\.key cannot be read \(ENOENT\)/,
    ],
    [
      'browserKey',
      { browserCertificate: 'first.pem', browserKey: null },
      /EDGE_BROWSER_CERTIFICATE is set without EDGE_BROWSER_KEY/,
    ],
    ['browserCertificate', { browserCertificate: null, browserKey: 'first.key' }, /EDGE_BROWSER_KEY is set without/],
    [
      'browserKey',
      { browserCertificate: 'first.pem', browserKey: 'second.key' },
      /is not the key of the first certificate/,
    ],
    ['browserCertificate', { browserCertificate: 'first.key', browserKey: 'first.key' }, /has no certificate in PEM/],
    ['browserKey', { browserCertificate: 'first.pem', browserKey: 'first.pem' }, /has no private key in PEM/],
  ])('names the setting and the remedy: %s %o', async (setting, { browserCertificate, browserKey }, message) => {
    const paths = Object.entries({ browserCertificate, browserKey }).map(([name, at]) => [name, at && file(at)]);
    const error = await start({ ...anywhere, ...Object.fromEntries(paths) }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ problems: [{ setting, kind: 'wrong', message: expect.stringMatching(message) }] });
  });

  it('names the port in use, and leaves nothing open', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const error = await start({ browserBind: `127.0.0.1:${port}` }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      problems: [{ setting: 'browserBind', kind: 'unusable', fix: expect.stringMatching(/EDGE_BROWSER_BIND/) }],
    });
    taken.close();
  });
});
