import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ascii, der, nameOf, newKeys, sequence, write } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { identities, pending } from '../support/enrollments.ts';
import { wireOf } from '../support/request.ts';
import { clientOf } from '../support/test-ca.ts';

const management = '/edge/management/v1';
const ott = { ott: true };

describe.each(storePairs)('enrollment with a certificate of the network on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let ahead = 0;
  const events: object[] = [];

  beforeAll(async () => {
    server = await startController({ ...(await open()), clock: () => Date.now() + ahead });
    server.controller.events.on('enrollment.redeemed', (event) => events.push(event));
    admin = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const add = (name: string) => pending(server, admin, name, ott);
  const enroll = (query: string, raw: string, type?: string) => {
    return server.wire('POST', `/edge/client/v1/enroll${query}`, {
      raw,
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    });
  };
  const identity = async (id: string) => (await server.wire('GET', `${identities}/${id}`, { token: admin })).body.data;

  it('gives the certificate and its intermediates, and consumes the token', async () => {
    const { identityId, id: enrollmentId, token } = await add('a device');
    const keys = newKeys();
    const redeemed = await enroll(
      `?method=ott&token=${token}`,
      // Editors and shells leave blank lines behind it.
      `${writeCsr('whatever', { keys })}\n \r\n`,
      'application/x-pem-file',
    );
    expect([redeemed.status, redeemed.headers['content-type']]).toEqual([200, 'application/json']);
    expect(Object.keys(redeemed.body.data)).toEqual(['cert']);
    expect(redeemed.body.meta).toEqual({});
    const blocks: string[] = redeemed.body.data.cert.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----\n/g);
    const [leaf, ...issuers] = blocks.map((pem) => new X509Certificate(pem));
    expect(leaf!.subject).toBe('CN=whatever');
    expect(leaf!.subjectAltName).toMatch(new RegExp(`^URI:spiffe://[^/]+/identity/${identityId}$`));
    expect(leaf!.publicKey.equals(keys.publicKey)).toBe(true);
    expect(leaf!.ca).toBe(false);
    expect(leaf!.validToDate.getTime() - leaf!.validFromDate.getTime()).toBe(365 * 86_400_000 + 60_000);
    expect(leaf!.checkIssued(issuers[0]!) && leaf!.verify(issuers[0]!.publicKey)).toBe(true);
    expect(issuers.filter(({ subject, issuer }) => subject === issuer)).toEqual([]);

    const fingerprint = leaf!.fingerprint.replaceAll(':', '').toLowerCase();
    const { authenticators, enrollment } = await identity(identityId);
    expect([authenticators, enrollment]).toEqual([{ cert: { id: expect.any(String), fingerprint } }, {}]);
    const path = `${management}/authenticators/${authenticators.cert.id}`;
    const {
      _links,
      identity: ref,
      createdAt,
      updatedAt,
      ...detail
    } = (await server.wire('GET', path, { token: admin })).body.data;
    expect([ref.id, _links.self.href]).toEqual([identityId, `./authenticators/${detail.id}`]);
    expect(detail).toEqual({
      ...{ id: authenticators.cert.id, tags: {}, method: 'cert', identityId, fingerprint },
      ...{ certPem: redeemed.body.data.cert, isIssuedByNetwork: true },
    });
    expect(events).toContainEqual({ identityId, enrollmentId, method: 'ott' });
    const used = await enroll(`?token=${token}`, writeCsr('again'), 'text/plain');
    expect([used.status, used.body.error.code]).toEqual([400, 'INVALID_ENROLLMENT_TOKEN']);
  });

  it.each(['application/x-pem-file', 'application/pkcs7', 'text/plain', 'text/plain; charset=utf-8'])(
    'takes the CSR as %s',
    async (type) => {
      const { token } = await add(`as ${type}`);
      const redeemed = await enroll(`?token=${token}`, writeCsr('device'), type);
      expect([redeemed.status, redeemed.headers['content-type']]).toEqual([200, 'application/json']);
    },
  );

  it('takes the CSR in JSON, also at a path of its own and at the root', async () => {
    const body = { clientCsr: writeCsr('device') };
    const first = await add('in JSON');
    expect((await server.wire('POST', `/enroll?method=ott&token=${first.token}`, { body })).status).toBe(200);
    const second = await add('at its own path');
    const own = (token?: string) => server.wire('POST', '/edge/client/v1/enroll/ott', { body: { ...body, token } });
    for (const unknown of [undefined, '', 'nonsense']) {
      expect((await own(unknown)).body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
    }
    const redeemed = await own(second.token);
    expect([redeemed.status, Object.keys(redeemed.body.data)]).toEqual([200, ['cert']]);
  });

  it('refuses what is no CSR, and the enrollment stays', async () => {
    const { token, identityId } = await add('careful');
    const good = writeCsr('device');
    const certificate = write({ issuer: null, subject: 'no request' }).der.toString('base64');
    const refused = [
      '',
      'nonsense',
      good.slice(0, 80),
      writeCsr('device', { signer: newKeys() }),
      `-----BEGIN CERTIFICATE REQUEST-----\n${certificate}\n-----END CERTIFICATE REQUEST-----\n`,
    ];
    for (const csr of refused) {
      const { status, body } = await enroll(`?method=ott&token=${token}`, csr, 'text/plain');
      expect([status, body.error.code], csr.slice(0, 60)).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
    }
    const huge = await enroll(`?token=${token}`, 'x'.repeat(70_000), 'text/plain');
    expect([huge.status, huge.body.error.code]).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE']);
    const foreign = await enroll(`?token=${token}`, good, 'application/octet-stream');
    expect(foreign.status).toBe(415);
    expect((await identity(identityId)).enrollment.ott.token).toBe(token);
    expect((await enroll(`?token=${token}`, good, 'text/plain')).status).toBe(200);
  });

  it('issues what TLS can present and what then signs in, whatever the subject is', async () => {
    const cn = (value: Buffer) => nameOf(['2.5.4.3', value]);
    const usable = {
      'no subject': sequence(),
      'an empty name': cn(der(0x0c)),
      'control characters': cn(der(0x0c, Buffer.from('\0\n'))),
      '100 parts': nameOf(...Array.from({ length: 100 }, (_, at) => ['2.5.4.11', `unit ${at}`] as const)),
      'an older kind of string': cn(der(0x14, Buffer.from([0xe4]))),
    };
    for (const [what, subject] of Object.entries(usable)) {
      const { token } = await add(`with ${what}`);
      const keys = newKeys();
      const { status, body } = await enroll(`?token=${token}`, writeCsr(subject, { keys }), 'text/plain');
      expect(status, what).toBe(200);
      const device = wireOf(server, clientOf(keys, [body.data.cert]));
      const signedIn = await device('POST', '/authenticate?method=cert', { body: {} });
      expect(signedIn.status, what).toBe(200);
      const list = await device('GET', '/current-api-session/certificates', { token: signedIn.body.data.token });
      expect(list.body.data, what).toHaveLength(1);
    }
    const { token } = await add('with a subject that cannot be read');
    const values = {
      integer: [2, '5'],
      null: [5, ''],
      octets: [4, 'x'],
      VisibleString: [0x1a, 'abc'],
      '[0]': [0x80, 'x'],
    } as const;
    for (const [what, [tag, text]] of Object.entries(values)) {
      const { status, body } = await enroll(`?token=${token}`, writeCsr(cn(der(tag, ascii(text)))), 'text/plain');
      expect([status, body.error?.code], what).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
    }
    expect((await enroll(`?token=${token}`, writeCsr('device'), 'text/plain')).status).toBe(200);
  });

  it('checks the token, then the method, then the expiry', async () => {
    const { token } = await add('late');
    const code = async (query: string) => (await enroll(query, '', 'text/plain')).body.error.code;
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await code('?method=nonsense')).toBe('INVALID_ENROLLMENT_TOKEN');
    expect(await code(`?method=nonsense&token=${unknown}`)).toBe('INVALID_ENROLLMENT_TOKEN');
    ahead = 4 * 3_600_000;
    expect(await code(`?method=updb&token=${token}`)).toBe('INVALID_ENROLL_METHOD');
    expect(await code(`?method=nonsense&token=${token}`)).toBe('INVALID_ENROLL_METHOD');
    expect(await code(`?method=ott&token=${token}`)).toBe('ENROLLMENT_EXPIRED');
    ahead = 0;
    expect(await code(`?method=ott&token=${token}`)).toBe('COULD_NOT_PROCESS_CSR');
  });

  it('redeems a token once when 100 clients have it', async () => {
    const { token, identityId } = await add('popular');
    const csr = writeCsr('device');
    const all = await Promise.all(Array.from({ length: 100 }, () => enroll(`?token=${token}`, csr, 'text/plain')));
    const losers = all.filter(({ status }) => status !== 200);
    expect(losers).toHaveLength(99);
    const codes = losers.map(({ status, body }) => `${status} ${body.error.code}`);
    expect(new Set(codes)).toEqual(new Set(['400 INVALID_ENROLLMENT_TOKEN']));
    const winner = all.find(({ status }) => status === 200);
    const { fingerprint } = new X509Certificate(winner?.body.data.cert);
    const { authenticators } = await identity(identityId);
    expect(authenticators.cert.fingerprint).toBe(fingerprint.replaceAll(':', '').toLowerCase());
  });

  it('gives an identity that has a certificate another one', async () => {
    const { token, identityId } = await add('twice');
    expect((await enroll(`?token=${token}`, writeCsr('device'), 'text/plain')).status).toBe(200);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { identityId, method: 'ott', expiresAt };
    expect((await server.wire('POST', `${management}/enrollments`, { token: admin, body })).status).toBe(201);
    const second = (await identity(identityId)).enrollment.ott.token;
    expect((await enroll(`?token=${second}`, writeCsr('device'), 'text/plain')).status).toBe(200);
    const list = await server.wire('GET', `${identities}/${identityId}/authenticators`, { token: admin });
    const fingerprints = list.body.data.map(({ fingerprint }: { fingerprint: string }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(2);
  });
});
