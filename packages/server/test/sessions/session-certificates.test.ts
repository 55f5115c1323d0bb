import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDevice, networkClient, networkOf, signInWith } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { sessionCertificatesLeft } from '../support/stored-sessions.ts';
import { testTime } from '../support/totp.ts';

const certificates = '/edge/client/v1/current-api-session/certificates';
const hour = 3_600_000;

const dir = mkdtempSync(join(tmpdir(), 'session-certificates-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** A CSR that requests to be a CA with the name of somebody else. */
function createCsr(keyFile: string, ...key: readonly string[]): string {
  const options = [
    ...['req', '-new', '-nodes', '-newkey', ...key, '-keyout', join(dir, keyFile), '-subj', '/O=Example/CN=admin'],
    ...['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'subjectAltName=URI:spiffe://other/identity/admin'],
    ...['-addext', 'extendedKeyUsage=serverAuth', '-addext', 'keyUsage=keyCertSign'],
  ];
  return execFileSync('openssl', options, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
}

const ec = createCsr('ec.pem', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256');
const rsa = createCsr('rsa.pem', 'rsa:2048');

/** What openssl says about the first certificate. */
function show(pem: string, ...options: readonly string[]): string {
  return execFileSync('openssl', ['x509', '-noout', ...options], { input: pem }).toString();
}

const blocksOf = (pem: string) => pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];

describe.each(storePairs)('certificates of API sessions on $stores', ({ open }) => {
  const time = testTime();
  let server: TestController;
  let admin: string;
  let user: Awaited<ReturnType<TestController['addUser']>>;

  beforeAll(async () => {
    server = await startController({ ...(await open()), clock: time.clock });
    admin = await server.signIn();
    user = await server.addUser(admin);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (token: string, csr = ec) => server.wire('POST', certificates, { token, body: { csr } });
  const list = (token: string, query: Record<string, string> = {}) =>
    server.wire('GET', `${certificates}?${new URLSearchParams(query)}`, { token });
  const idsOf = async (token: string, query: Record<string, string> = {}): Promise<string[]> =>
    (await list(token, query)).body.data.map(({ id }: { id: string }) => id);
  const sessionIdOf = async (token: string): Promise<string> =>
    (await server.wire('GET', '/edge/client/v1/current-api-session', { token })).body.data.id;

  it.each([
    ['a P-256 key', ec],
    ['an RSA key', rsa],
  ])(
    'are issued for %s: 12 hours, for the identity and the session, and nothing that the CSR requests',
    async (_, csr) => {
      const token = await server.signIn(user);
      const created = await create(token, csr);
      expect(created.status, created.text).toBe(201);
      const { id, certificate, cas } = created.body.data;
      expect(created.body).toEqual({
        data: { _links: { self: { href: `./current-api-session/certificates/${id}` } }, id, certificate, cas },
        meta: {},
      });
      expect(id).toMatch(/^[0-9A-Za-z.-]{9,10}$/);

      const [leaf, ...intermediates] = blocksOf(certificate);
      expect(intermediates.length).toBeGreaterThan(0);
      for (const pem of intermediates)
        expect(new X509Certificate(pem).checkIssued(new X509Certificate(pem))).toBe(false);
      const [chainFile, casFile, leafFile] = ['chain', 'cas', 'leaf'].map((name) => join(dir, `${name}.pem`));
      writeFileSync(chainFile!, intermediates.join(''));
      writeFileSync(casFile!, cas);
      writeFileSync(leafFile!, leaf!);
      const verify = ['verify', '-purpose', 'sslclient', '-CAfile', casFile!, '-untrusted', chainFile!, leafFile!];
      expect(execFileSync('openssl', verify).toString()).toContain('OK');

      expect(show(leaf!, '-subject', '-nameopt', 'RFC2253')).toBe(`subject=CN=${user.id}\n`);
      const path = `identity/${user.id}/apiSession/${await sessionIdOf(token)}/apiSessionCertificate/${id}`;
      expect(new X509Certificate(leaf!).subjectAltName).toMatch(new RegExp(`^URI:spiffe://[^/,]+/${path}$`));
      const text = show(leaf!, '-text');
      expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Encipherment, Data Encipherment\s/);
      expect(text).toMatch(/Extended Key Usage: \s+TLS Web Client Authentication\s/);
      expect(text).not.toContain('CA:TRUE');
      const publicKey = execFileSync('openssl', ['req', '-noout', '-pubkey'], { input: csr }).toString();
      expect(show(leaf!, '-pubkey')).toBe(publicKey);
      const { validFromDate, validToDate } = new X509Certificate(leaf!);
      expect(validToDate.getTime() - validFromDate.getTime()).toBe(12 * hour);
      expect(Math.abs(validToDate.getTime() - 12 * hour - time.now())).toBeLessThan(120_000);

      const detail = await server.wire('GET', `${certificates}/${id}`, { token });
      expect([detail.status, detail.body.meta]).toEqual([200, null]);
      expect(detail.body.data).toEqual({
        _links: { self: { href: `./current-api-session/certificates/${id}` } },
        ...{ id, tags: {}, createdAt: detail.body.data.createdAt, updatedAt: detail.body.data.createdAt },
        subject: `CN=${user.id}`,
        fingerprint: new X509Certificate(leaf!).fingerprint.replaceAll(':', '').toLowerCase(),
        validFrom: validFromDate.toISOString(),
        validTo: validToDate.toISOString(),
        certificate,
      });
      expect(Math.abs(Date.parse(detail.body.data.createdAt) - time.now())).toBeLessThan(10_000);
      expect((await list(token)).body.data).toEqual([detail.body.data]);
    },
  );

  it('are listed with filter, sort and pages, and deleted once', async () => {
    const token = await server.signIn(user);
    const own: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      own.push((await create(token)).body.data.id);
      await time.pass(1_000);
    }
    const all = await list(token, { sort: 'createdAt desc' });
    expect(all.body.meta).toEqual({
      filterableFields: ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'apiSession', 'subject', 'fingerprint'],
      pagination: { limit: 10, offset: 0, totalCount: 3 },
    });
    expect(all.body.data.map(({ id }: { id: string }) => id)).toEqual(own.toReversed());
    expect(await idsOf(token)).toEqual(own.toSorted());
    const [{ fingerprint }] = all.body.data;
    expect(await idsOf(token, { filter: `fingerprint = "${fingerprint}"` })).toEqual([own[2]]);
    expect(await idsOf(token, { filter: `apiSession = "${await sessionIdOf(token)}" limit none` })).toHaveLength(3);
    expect(await idsOf(token, { filter: 'apiSession = "other"' })).toEqual([]);
    expect(await idsOf(token, { filter: `not subject contains "${user.id}"` })).toEqual([]);
    expect(await idsOf(token, { sort: 'createdAt', limit: '1', offset: '1' })).toEqual([own[1]]);
    expect((await list(token, { filter: 'certificate = "x"' })).body.error.code).toBe('INVALID_FILTER');
    expect((await list(token, { sort: 'validTo' })).body.error.code).toBe('INVALID_SORT_IDENTIFIER');

    const path = `${certificates}/${own[0]}`;
    const deleted = await server.wire('DELETE', path, { token });
    expect([deleted.status, deleted.body]).toEqual([200, { data: {}, meta: {} }]);
    for (const method of ['DELETE', 'GET']) {
      const again = await server.wire(method, path, { token });
      expect([again.status, again.body.error.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(await idsOf(token)).toEqual(own.slice(1).toSorted());
  });

  // https://github.com/advisories/GHSA-6v5r-p2wr-q492
  it('belong to one session: no other one sees them, not even of the same identity or an administrator', async () => {
    const token = await server.signIn(user);
    const { id } = (await create(token)).body.data;
    const filter = `apiSession = "${await sessionIdOf(token)}" or id = "${id}"`;
    for (const other of [await server.signIn(user), await server.signIn(await server.addUser(admin)), admin]) {
      for (const query of [{}, { filter }]) {
        expect((await list(other, query as Record<string, string>)).body.meta.pagination.totalCount).toBe(0);
      }
      for (const method of ['GET', 'DELETE']) {
        const refused = await server.wire(method, `${certificates}/${id}`, { token: other });
        expect([refused.status, refused.body.error.code]).toEqual([404, 'NOT_FOUND']);
        expect(refused.text).not.toContain('BEGIN CERTIFICATE');
      }
    }
    expect(await idsOf(token)).toEqual([id]);
  });

  it('do not exist on the Management API', async () => {
    for (const method of ['GET', 'POST']) {
      const path = '/edge/management/v1/current-api-session/certificates';
      expect(
        (await server.wire(method, path, { token: admin, ...(method === 'POST' && { body: { csr: ec } }) })).status,
      ).toBe(404);
    }
  });

  it('are refused for a bad CSR', async () => {
    const token = await server.signIn(user);
    const base64 = ec.replaceAll(/-----[^-]+-----|\s/g, '');
    const changed = Buffer.from(base64, 'base64');
    changed[changed.length - 1]! ^= 1;
    const pem = (der: Buffer) =>
      `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    const chain = (await create(await server.signIn(user))).body.data.certificate;
    const bad = ['', 'text', pem(Buffer.alloc(0)), pem(changed), pem(changed.subarray(0, 50)), chain];
    for (const csr of bad) {
      const refused = await create(token, csr);
      expect([refused.status, refused.body.error?.code], csr).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
    }
    for (const body of [{}, { csr: null }, { csr: 'x'.repeat(100_000) }, { csr: 7 }]) {
      expect((await server.wire('POST', certificates, { token, body })).status).toBe(400);
    }
    expect(await idsOf(token)).toEqual([]);
  });

  it('end with their session, whatever ends it', async () => {
    const ends: Record<string, (token: string, id: string) => Promise<unknown>> = {
      'sign-out': (token) => server.wire('DELETE', '/edge/client/v1/current-api-session', { token }),
      'removal by an administrator': async (token) =>
        server.wire('DELETE', `/edge/management/v1/api-sessions/${await sessionIdOf(token)}`, { token: admin }),
      'disabled identity': (_, id) =>
        server.wire('POST', `/edge/management/v1/identities/${id}/disable`, {
          token: admin,
          body: { durationMinutes: 0 },
        }),
      'deleted identity': (_, id) => server.wire('DELETE', `/edge/management/v1/identities/${id}`, { token: admin }),
    };
    for (const [name, end] of Object.entries(ends)) {
      const owner = await server.addUser(admin);
      const token = await server.signIn(owner);
      expect((await create(token)).status).toBe(201);
      expect(await sessionCertificatesLeft(server, token), name).toBe(1);
      await end(token, owner.id);
      expect(await sessionCertificatesLeft(server, token), name).toBe(0);
      expect((await list(token)).status, name).toBe(401);
      expect((await create(token)).status, name).toBe(401);
    }
  });

  it('are neither left over nor bring a session back when they are made while it ends', async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = await server.signIn(user);
      const created = Array.from({ length: 10 }, () => create(token));
      await server.wire('DELETE', '/edge/client/v1/current-api-session', { token });
      for (const { status } of await Promise.all(created)) expect([201, 401]).toContain(status);
      expect(await sessionCertificatesLeft(server, token)).toBe(0);
      expect((await list(token)).status).toBe(401);
    }
  });

  it('are the client certificate alone after a sign-in with it', async () => {
    const client = networkClient(networkOf(server), 'a device');
    await addDevice(server, admin, { client });
    const { token } = (await signInWith(server, client)).body.data;
    const { data } = (await list(token)).body;
    expect(data).toMatchObject([{ subject: 'CN=a device', fingerprint: client.fingerprint }]);
    expect(new X509Certificate(data[0].certificate).raw).toEqual(client.der);
    const created = (await create(token)).body.data;
    expect((await idsOf(token)).toSorted()).toEqual([data[0].id, created.id].toSorted());
    expect((await server.wire('DELETE', `${certificates}/${data[0].id}`, { token })).status).toBe(200);
    expect(await idsOf(token)).toEqual([created.id]);
    expect(await idsOf(await server.signIn(user))).toEqual([]);
  });

  it('do not sign in', async () => {
    const { certificate } = (await create(await server.signIn(user))).body.data;
    const refused = await signInWith(server, { key: readFileSync(join(dir, 'ec.pem'), 'utf8'), cert: certificate });
    expect([refused.status, refused.body.error.code]).toEqual([401, 'INVALID_AUTH']);
  });

  it('survive a restart of the controller', async () => {
    await using first = await startController(await open());
    const token = await first.signIn();
    const { id } = (await first.wire('POST', certificates, { token, body: { csr: ec } })).body.data;
    await first.controller.close();
    await using second = await startController(first.options);
    expect((await second.wire('GET', `${certificates}/${id}`, { token })).status).toBe(200);
  });
});
