import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { extendedKeyUsages, verifyChain } from '@edge-controller/certificate-path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createController, createLogger } from '../../src/index.ts';
import { createNetworkPki } from '../../src/pki/create-network-pki.ts';
import { certificatesOf } from '../../src/pki/pem.ts';
import { openPki } from '../../src/pki/pki.ts';
import { addDevice, certificateSignIn, networkClient, networkOf, signInWith } from '../support/certificate-users.ts';
import { createClientChain } from '../support/client-chain.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { keyOf, openssl } from '../support/operator-pki.ts';
import { createWire, wireOf } from '../support/request.ts';

const day = 86_400_000;
const hour = 3_600_000;
const now = Date.now();

afterEach(() => {
  vi.useRealTimers();
});

/** A controller whose timers stand still, with a clock to be set. */
async function startAt(time: number, log = createLogger({ level: 'silent' })) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const clock = { time };
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-renewal-'));
  const admin = { adminUsername: adminCredentials.username, adminPassword: adminCredentials.password };
  const controller = await createController({ port: 0, dataDir, ...admin, log, clock: () => clock.time });
  const seen: (readonly Buffer[])[] = [];
  controller.app.use(async (ctx, next) => {
    await next();
    seen.push(ctx.state.credentials.sentCertificates);
  });
  const { url } = await controller.listen();
  return {
    controller,
    url,
    /** The certificates of each request. */
    seen,
    pki: join(dataDir, 'pki'),
    /** Sets the clock and lets the timers fire. Returns the SHA-1 of the new server certificate. */
    async nextHour(to: number): Promise<string> {
      clock.time = to;
      const changed = new Promise<string>((resolve) => {
        controller.events.on('controller.certificateChanged', ({ fingerprint }) => resolve(fingerprint));
      });
      vi.advanceTimersByTime(hour);
      return changed;
    },
    async [Symbol.asyncDispose]() {
      await controller.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** Socket → the SHA-1 of its server certificate. Node shows it once. */
const prints = new WeakMap<object, string>();

function request(url: string, agent: Agent): Promise<{ print: string | undefined; reused: boolean }> {
  return new Promise((resolve, reject) => {
    const outgoing = get(`${url}/version`, { agent }, (incoming) => {
      const print = prints.get(incoming.socket);
      incoming.resume().on('end', () => resolve({ print, reused: outgoing.reusedSocket }));
    });
    outgoing.on('socket', (socket) => {
      socket.once('secureConnect', () => {
        const { fingerprint } = (socket as TLSSocket).getPeerX509Certificate()!;
        prints.set(socket, fingerprint.replaceAll(':', '').toLowerCase());
      });
    });
    outgoing.on('error', reject);
  });
}

describe('a running controller', () => {
  it('renews its server certificate and its intermediate before they expire, without losing a connection', async () => {
    await using server = await startAt(now - 1_500 * day);
    const { nextHour, pki } = server;
    const file = (name: string) => readFileSync(join(pki, name), 'utf8');
    const intermediate = file('intermediate.pem');
    const first = await nextHour(now - 380 * day);
    expect(file('intermediate.pem')).toBe(intermediate);

    const ca = file('ca.pem');
    const before = new Agent({ ca, keepAlive: true });
    expect(await request(server.url, before)).toEqual({ print: first, reused: false });
    const second = await nextHour(now);
    expect(second).not.toBe(first);
    expect(await request(server.url, before)).toEqual({ print: first, reused: true });
    expect(await request(server.url, new Agent({ ca }))).toEqual({ print: second, reused: false });

    const [old, renewed] = [intermediate, file('intermediate.pem')].map((pem) => new X509Certificate(pem));
    expect(renewed!.subject).toBe(old!.subject);
    expect(renewed!.publicKey.equals(old!.publicKey)).toBe(true);
    expect(renewed!.validToDate.getTime() - now).toBeGreaterThan(1_800 * day);
    const { text } = await createWire(server.url, server.controller.caFile)('GET', '/.well-known/est/cacerts');
    expect(Buffer.from(text, 'base64').includes(renewed!.raw)).toBe(true);
    before.destroy();
  });

  it('takes over what another process has renewed, and keeps what it has when the files are damaged', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'error', destination: { write: (line) => void lines.push(line) } });
    await using server = await startAt(now - 380 * day, log);
    const { nextHour, pki } = server;
    const other = await openPki({ dir: pki, names: ['other.example.org'], clock: () => now });
    expect(await nextHour(now)).toBe(other.current.serverKid);

    const key = readFileSync(join(pki, 'server.key'));
    writeFileSync(join(pki, 'server.key'), keyOf('p256', 'somebody else'));
    vi.advanceTimersByTime(hour);
    await vi.waitFor(() => expect(lines.join()).toContain('server.key is not the key of server.pem'));
    expect(lines.join()).not.toContain('PRIVATE KEY');
    const agent = new Agent({ ca: readFileSync(server.controller.caFile) });
    expect((await request(server.url, agent)).print).toBe(other.current.serverKid);
    writeFileSync(join(pki, 'server.key'), key);
    await openPki({ dir: pki, names: [], clock: () => now });
    expect((await request(server.url, agent)).print).toBe(other.current.serverKid);
    expect(await nextHour(now)).not.toBe(other.current.serverKid);
  });

  it('warns of certificates that nobody renews', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'warn', destination: { write: (line) => void lines.push(line) } });
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-expiring-'));
    const filesAt = async (time: number) => {
      lines.length = 0;
      const server = await startController({ dataDir, log, clock: () => time });
      await server.controller.close();
      return lines.filter((line) => line.includes('expires soon')).map((line) => JSON.parse(line).file);
    };
    expect(await filesAt(now)).toEqual([]);
    expect(await filesAt(now + 1_700 * day)).toEqual([]);
    // The intermediate has expired meanwhile, and is renewed as long as its root lasts.
    expect(await filesAt(now + 3_600 * day)).toEqual(['intermediate.pem', 'ca.pem']);
    rmSync(join(dataDir, 'pki', 'root.key'));
    await expect(filesAt(now + 3_649.5 * day)).resolves.toHaveLength(2);
    await expect(filesAt(now + 3_651 * day)).rejects.toThrow('ca.pem has expired');
    rmSync(dataDir, { recursive: true });
  });

  it('gives a server of an embedder the new certificate, which goes on to see the chains of clients', async () => {
    await using server = await startAt(now - 380 * day);
    const { controller, nextHour, seen } = server;
    const own = createServer({ ...controller.tlsOptions }, controller.callback());
    controller.guardHandshakes(own);
    controller.events.on('controller.certificateChanged', () => own.setSecureContext(controller.tlsOptions));
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const url = `https://localhost:${(own.address() as AddressInfo).port}`;
    const print = await nextHour(now);
    const chain = createClientChain(2);
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const tls = { ca: readFileSync(server.controller.caFile), key: chain.key, cert: chain.pem(0, 2, 1), maxVersion };
      expect((await request(url, new Agent(tls))).print).toBe(print);
      expect((await request(server.url, new Agent(tls))).print).toBe(print);
    }
    expect(seen).toHaveLength(4);
    for (const certificates of seen) expect(certificates).toEqual([0, 2, 1].map((at) => chain.der[at]));
    own.close();
  });
});

it.each(storePairs)('a client that enrolled before a renewal signs in after it, on $stores', async ({ open }) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let time = now - 1_500 * day;
  await using server = await startController({ ...(await open()), clock: () => time });
  const nextHour = async (to: number) => {
    const changed = new Promise((resolve) => server.controller.events.on('controller.certificateChanged', resolve));
    time = to;
    vi.advanceTimersByTime(hour);
    await changed;
  };
  // The server certificate is then valid for the clock of the client.
  await nextHour(now - 380 * day);
  const token = await server.signIn();
  const network = networkOf(server);
  const issued = networkClient(network, 'a device', { notBefore: new Date(time) });
  const { identityId, client } = await addDevice(server, token, { client: issued });
  const before = wireOf(server, client);
  const signIn = { body: {} };
  expect((await before('POST', certificateSignIn, signIn)).status).toBe(200);

  await nextHour(now);
  const renewed = networkOf(server);
  expect(renewed.intermediatePem).not.toBe(network.intermediatePem);
  const whole = (await before('POST', certificateSignIn, signIn)).body.data;
  expect(whole).toMatchObject({ identityId });
  expect(whole).not.toHaveProperty('improperClientCertChain');
  const chains: [string, boolean][] = [
    [network.intermediatePem, false],
    [renewed.intermediatePem, false],
    [renewed.intermediatePem + network.intermediatePem, false],
    ['', true],
  ];
  for (const [above, isImproper] of chains) {
    const { status, body } = await signInWith(server, { key: client.key, cert: `${client.leafPem}${above}` });
    expect([status, body.data.improperClientCertChain === true]).toEqual([200, isImproper]);
  }
  // The old intermediate has ended, the renewed one has not.
  time = new X509Certificate(network.intermediatePem).validToDate.getTime() + day;
  for (const above of [network.intermediatePem, renewed.intermediatePem + network.intermediatePem, '']) {
    const answer = await signInWith(server, { key: client.key, cert: `${client.leafPem}${above}` });
    expect(answer.status, answer.text).toBe(200);
  }
});

it('a client that was enrolled before a renewal stays valid, with its old chain and with its certificate alone', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-renewed-'));
  let time = now;
  const pki = await openPki({ dir: join(dir, 'pki'), names: [], clock: () => time });
  const network = createNetworkPki(pki);
  const key = join(dir, 'client.key');
  writeFileSync(key, keyOf('p256', 'of a client'));
  const csr = openssl(['req', '-new', '-key', key, '-subj', '/CN=device']);
  time = now + 1_400 * day;
  const issue = { csr, uri: 'spiffe://example/identity/a', notBefore: time - 60_000, notAfter: time + 365 * day };
  const [leaf, ...bag] = certificatesOf((await network.issueClientCertificate(issue)).chainPem);
  const before = network.anchors;
  time = now + 1_500 * day;
  await pki.refresh();
  expect(network.anchors.intermediates).not.toEqual(before.intermediates);
  expect(network.anchors.roots).toEqual(before.roots);
  const verify = (anchors: readonly Buffer[], sent: readonly Buffer[]) =>
    verifyChain({ leaf: leaf!, bag: sent, anchors, at: time, requiredExtendedKeyUsage: extendedKeyUsages.clientAuth });
  expect(verify(network.anchors.roots, bag).valid).toBe(true);
  expect(verify(network.anchors.intermediates, []).valid).toBe(true);
  rmSync(dir, { recursive: true });
});
