import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  basicConstraints,
  dns,
  email,
  ip,
  otherName,
  subjectAltNames,
  uri,
} from '../support/certificate-extensions.ts';
import { certificateSignIn } from '../support/certificate-users.ts';
import { nameOf, newKeys } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { wireOf } from '../support/request.ts';
import { extensionRequest, routerCsr, routerCsrs } from '../support/routers.ts';
import { clientOf } from '../support/test-ca.ts';

const management = '/edge/management/v1';
const client = '/edge/client/v1';
const [edge, transit] = ['edge-routers', 'transit-routers'] as const;
const [clientAuth, serverAuth] = ['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1'];
const host = 'ctrl.example.org';

const certificatesOf = (pem: string) =>
  (pem.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----\n/g) ?? []).map((block) => new X509Certificate(block));
const fingerprintOf = ({ fingerprint }: X509Certificate) => fingerprint.replaceAll(':', '').toLowerCase();

describe.each(storePairs)('the enrollment of routers on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  let ahead = 0;
  let names = 0;
  const events: object[] = [];
  beforeAll(async () => {
    server = await startController({ ...(await open()), address: `${host}:1280`, clock: () => Date.now() + ahead });
    server.controller.events.on('router.enrolled', (event) => events.push(event));
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const send = (method: string, path: string, body?: unknown) =>
    server.wire(method, `${management}/${path}`, { token, ...(body === undefined ? {} : { body }) });
  const read = async (path: string) => (await send('GET', path)).body.data;
  const add = async (collection: string, body: object = {}) => {
    names += 1;
    const { data } = (await send('POST', collection, { name: `router ${names}`, ...body })).body;
    return (await read(`${collection}/${data.id}`)) as { id: string; enrollmentToken: string };
  };
  const redeem = (query: string, body: object) => server.wire('POST', `${client}/enroll?${query}`, { body });
  const enroll = (router: { enrollmentToken: string }, body: object, method = 'erott') =>
    redeem(`method=${method}&token=${router.enrollmentToken}`, body);
  const refusalOf = ({ status, body }: Awaited<ReturnType<typeof enroll>>) => [
    ...[status, body.error?.code, body.error?.cause?.message],
  ];

  it.each([
    { collection: edge, method: 'erott' },
    { collection: transit, method: 'trott' },
  ])('of $collection gives a client certificate, a server certificate and the CAs', async ({ collection, method }) => {
    const { id, ...router } = await add(collection);
    const keys = newKeys();
    const hosts = [dns('r1.example.org'), dns('localhost'), ip('127.0.0.1'), email('a@b.org'), uri('https://r1/x')];
    events.length = 0;
    const enrolled = await enroll(router, routerCsrs(id, { keys, names: hosts }), method);
    expect([enrolled.status, enrolled.headers['content-type']], enrolled.text).toEqual([200, 'application/json']);
    const { cert, serverCert, ca, ...others } = enrolled.body.data;
    expect([others, enrolled.body.meta]).toEqual([{}, {}]);
    const roots = certificatesOf(ca);
    for (const [pem, usage] of [
      [cert, clientAuth],
      [serverCert, serverAuth],
    ] as const) {
      const [leaf, issuer, ...more] = certificatesOf(pem);
      expect(more).toEqual([]);
      expect(leaf!.subject).toBe(`CN=${id}`);
      expect(leaf!.subjectAltName).toBe(
        'DNS:r1.example.org, DNS:localhost, IP Address:127.0.0.1, email:a@b.org, URI:https://r1/x',
      );
      expect([leaf!.keyUsage, leaf!.ca, leaf!.publicKey.equals(keys.publicKey)]).toEqual([[usage], false, true]);
      expect(leaf!.verify(issuer!.publicKey) && roots.some((root) => issuer!.verify(root.publicKey))).toBe(true);
      expect(leaf!.validToDate.getTime() - leaf!.validFromDate.getTime()).toBe(365 * 86_400_000 + 60_000);
    }
    const shown = await read(`${collection}/${id}`);
    expect(shown).toMatchObject({ isVerified: true, fingerprint: fingerprintOf(certificatesOf(cert)[0]!) });
    expect(shown.certPem).toBe(collection === edge ? cert : undefined);
    for (const member of ['enrollmentToken', 'enrollmentJwt', 'enrollmentExpiresAt', 'enrollmentCreatedAt'])
      expect(shown).not.toHaveProperty(member);
    expect(await read(`${transit}/${id}`)).toMatchObject({ isVerified: true, fingerprint: shown.fingerprint });
    expect(events).toEqual([{ routerId: id, method }]);
    expect(refusalOf(await enroll(router, routerCsrs(id), method))).toEqual([
      400,
      'INVALID_ENROLLMENT_TOKEN',
      undefined,
    ]);
    // PUT and PATCH leave all that alone.
    await send('PUT', `${collection}/${id}`, { name: `again ${id}` });
    await send('PATCH', `${collection}/${id}`, { cost: 1 });
    expect(await read(`${collection}/${id}`)).toMatchObject({ isVerified: true, fingerprint: shown.fingerprint });
  });

  it('checks token, method and expiry, then the server CSR, then the client CSR', async () => {
    const router = await add(edge);
    const { id } = router;
    const good = routerCsrs(id);
    const unknown = { enrollmentToken: '6f9b1a52-6c1c-4b0e-9a49-0d5b3c7c2f11' };
    expect(refusalOf(await enroll(unknown, {}))).toEqual([400, 'INVALID_ENROLLMENT_TOKEN', undefined]);
    for (const method of ['trott', 'ott', 'updb', 'nonsense'])
      expect(refusalOf(await enroll(router, good, method))).toEqual([400, 'INVALID_ENROLL_METHOD', undefined]);
    const missing = 'csrPem must not be null or empty';
    const invalid = 'MISSING_OR_INVALID_CSR';
    const cases: [object, unknown[]][] = [
      [{}, [400, invalid, `invalid server CSR: ${missing}`]],
      [{ certCsr: good.certCsr }, [400, invalid, `invalid server CSR: ${missing}`]],
      [{ serverCertCsr: good.certCsr }, [400, invalid, `invalid client CSR: ${missing}`]],
      [{ ...good, serverCertCsr: 'no PEM' }, [400, invalid, expect.stringMatching(/^invalid server CSR: /)]],
      [{ ...good, certCsr: 'no PEM' }, [400, invalid, expect.stringMatching(/^invalid client CSR: /)]],
      [{ certCsr: '', serverCertCsr: '' }, [400, invalid, `invalid server CSR: ${missing}`]],
    ];
    for (const [body, expected] of cases) expect(refusalOf(await enroll(router, body))).toEqual(expected);
    const csr = (subject: string | Buffer) => ({ ...good, certCsr: routerCsr(subject) });
    const wrongNames = [
      ...['another', `${id}x`, id.toUpperCase() === id ? id.toLowerCase() : id.toUpperCase(), '', `${id}\0`],
      nameOf(['2.5.4.3', id], ['2.5.4.3', id]),
      nameOf(['2.5.4.10', id]),
    ];
    for (const name of wrongNames) {
      expect(refusalOf(await enroll(router, csr(name)))).toEqual([400, 'COULD_NOT_PROCESS_CSR', 'invalid client CSR']);
    }
    ahead = 4 * 3_600_000;
    expect(refusalOf(await enroll(router, good))).toEqual([400, 'ENROLLMENT_EXPIRED', undefined]);
    ahead = 0;
    // The subject of the server CSR is free, and nothing so far has used the token up.
    const body = {
      certCsr: routerCsr(nameOf(['2.5.4.10', 'Example'], ['2.5.4.3', id])),
      serverCertCsr: routerCsr('any'),
    };
    const enrolled = await redeem(`token=${router.enrollmentToken}`, body);
    expect(enrolled.status, enrolled.text).toBe(200);
    expect(certificatesOf(enrolled.body.data.cert)[0]!.subject).toBe(`O=Example\nCN=${id}`);
    expect(certificatesOf(enrolled.body.data.serverCert)[0]!.subject).toBe('CN=any');
  });

  it('also redeems `erott` on a path of its own', async () => {
    const { id, enrollmentToken } = await add(edge);
    const csr = routerCsr(id);
    const post = (body: object) => server.wire('POST', `${client}/enroll/erott`, { body });
    expect(refusalOf(await post({ clientCsr: csr, serverCsr: csr }))).toEqual([
      400,
      'INVALID_ENROLLMENT_TOKEN',
      undefined,
    ]);
    const enrolled = await post({ token: enrollmentToken, clientCsr: csr, serverCsr: csr });
    expect(Object.keys(enrolled.body.data)).toEqual(['cert', 'serverCert', 'ca']);
    const { enrollmentToken: other } = await add(transit);
    const wrong = await post({ token: other, clientCsr: csr, serverCsr: csr });
    expect(refusalOf(wrong)).toEqual([400, 'INVALID_ENROLL_METHOD', undefined]);
  });

  describe('a CSR', () => {
    const refused = async (csr: (id: string) => string) => {
      const router = await add(edge);
      const good = routerCsr(router.id);
      const bad = csr(router.id);
      const asServer = refusalOf(await enroll(router, { certCsr: good, serverCertCsr: bad }));
      const asClient = refusalOf(await enroll(router, { certCsr: bad, serverCertCsr: good }));
      expect(asServer.slice(0, 2)).toEqual([400, 'MISSING_OR_INVALID_CSR']);
      expect(asClient.slice(0, 2)).toEqual([400, 'MISSING_OR_INVALID_CSR']);
      expect((await read(`${edge}/${router.id}`)).isVerified).toBe(false);
      return asServer[2];
    };

    it.each([
      ['the host of the API', dns(host)],
      ['it in capitals', dns(host.toUpperCase())],
      ['a wildcard for it', dns('*.example.org')],
      ['a SPIFFE id', uri('spiffe://any/identity/abc')],
      ['a SPIFFE id in capitals', uri('SPIFFE://any/identity/abc')],
      ['no URI', uri('no uri')],
      ['no host name', dns('a b')],
      ['a host name with a dot at the end', dns(`${host}.`)],
      ['every host', dns('*')],
      ['no mailbox', email('nobody')],
      ['another form of a name', otherName('1.2.3')],
      ['no address', ip('1.2.3')],
    ])('cannot request %s', async (_, name) => {
      await refused((id) => routerCsr(id, { names: [dns('r1.example.org'), name] }));
    });

    it('cannot request a common name of the controller', async () => {
      const router = await add(edge);
      const body = { certCsr: routerCsr(router.id), serverCertCsr: routerCsr(host) };
      const message = `invalid server CSR: the name ${host} belongs to the controller`;
      expect(refusalOf(await enroll(router, body))).toEqual([400, 'MISSING_OR_INVALID_CSR', message]);
    });

    it('gets no certificate of a CA, and no other usage', async () => {
      const router = await add(edge);
      const attributes = [extensionRequest(basicConstraints(true), subjectAltNames([dns('r2.example.org')]))];
      const csr = writeCsr(router.id, { attributes });
      const enrolled = await enroll(router, { certCsr: csr, serverCertCsr: csr });
      expect(enrolled.status, enrolled.text).toBe(200);
      const [leaf] = certificatesOf(enrolled.body.data.serverCert);
      expect([leaf!.ca, leaf!.keyUsage, leaf!.subjectAltName]).toEqual([false, [serverAuth], 'DNS:r2.example.org']);
    });

    it('cannot be too long, request extensions twice, be signed with another key, or have a weak one', async () => {
      const many = Array.from({ length: 400 }, (_, at) => dns(`host-${at}.example.net`));
      expect(await refused((id) => routerCsr(id, { names: many }))).toMatch(/more than 8192 characters/);
      const twice = extensionRequest(subjectAltNames([dns('r1.example.org')]));
      expect(await refused((id) => writeCsr(id, { attributes: [twice, twice] }))).toMatch(/twice/);
      const broken = extensionRequest(Buffer.from('no extension'));
      await refused((id) => writeCsr(id, { attributes: [broken] }));
      await refused((id) => writeCsr(id, { signer: newKeys() }));
      await refused((id) => writeCsr(id, { keys: generateKeyPairSync('rsa', { modulusLength: 1024 }) }));
    });
  });

  it('gives one of many parallel redemptions the certificates', async () => {
    const router = await add(edge);
    const all = await Promise.all(Array.from({ length: 8 }, () => enroll(router, routerCsrs(router.id))));
    const won = all.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const lost of all.filter((one) => one !== won[0]))
      expect(refusalOf(lost)).toEqual([400, 'INVALID_ENROLLMENT_TOKEN', undefined]);
    const [leaf] = certificatesOf(won[0]!.body.data.cert);
    expect((await read(`${edge}/${router.id}`)).fingerprint).toBe(fingerprintOf(leaf!));
  });

  it('races with a new enrollment or the deletion of the router, and leaves nothing half done', async () => {
    for (let round = 0; round < 6; round += 1) {
      const router = await add(edge, { isTunnelerEnabled: true });
      const path = `${edge}/${router.id}`;
      const other = round % 2 === 0 ? send('POST', `${path}/re-enroll`) : send('DELETE', path);
      const [enrolled, changed] = await Promise.all([enroll(router, routerCsrs(router.id)), other]);
      expect(changed.status, changed.text).toBe(200);
      if (enrolled.status !== 200) expect(refusalOf(enrolled)).toEqual([400, 'INVALID_ENROLLMENT_TOKEN', undefined]);
      if (round % 2 === 1) {
        expect((await send('GET', path)).status).toBe(404);
        continue;
      }
      const shown = await read(path);
      const isLast = shown.isVerified;
      expect(isLast ? enrolled.status : typeof shown.enrollmentToken).toBe(isLast ? 200 : 'string');
      expect(await read(`enrollments?filter=edgeRouter="${router.id}"`)).toHaveLength(isLast ? 0 : 1);
    }
  });

  describe('a router that has enrolled', () => {
    const enrolled = async (collection: string, body: object = {}) => {
      const router = await add(collection, body);
      const keys = newKeys();
      const method = collection === edge ? 'erott' : 'trott';
      const { data } = (await enroll(router, routerCsrs(router.id, { keys }), method)).body;
      const present = (pem: string) =>
        wireOf(
          server,
          clientOf(
            keys,
            certificatesOf(pem).map((certificate) => certificate.toString()),
          ),
        );
      return {
        id: router.id,
        cert: data.cert,
        wire: present(data.cert),
        serverWire: present(data.serverCert),
        present,
      };
    };
    const extend = (wire: typeof server.wire, body: object) => wire('POST', `${client}/enroll/extend/router`, { body });

    it('signs nobody in, neither with its client certificate nor with its server certificate', async () => {
      const router = await enrolled(edge, { isTunnelerEnabled: true });
      for (const wire of [router.wire, router.serverWire]) {
        const { status, body } = await wire('POST', certificateSignIn, { body: {} });
        expect([status, body.error.code]).toEqual([401, 'INVALID_AUTH']);
      }
    });

    it.each([edge, transit])(
      'renews its certificates below %s, and the old ones are worth nothing',
      async (collection) => {
        const { id, cert, wire, serverWire, present } = await enrolled(collection);
        const unauthorized = [401, 'UNAUTHORIZED', undefined];
        const body = routerCsrs(id, { names: [dns('new.example.org')] });
        for (const other of [server.wire, serverWire])
          expect(refusalOf(await extend(other, body))).toEqual(unauthorized);
        expect(refusalOf(await extend(wire, { ...body, certCsr: routerCsr('other') }))[1]).toBe(
          'COULD_NOT_PROCESS_CSR',
        );
        expect((await extend(wire, { certCsr: body.certCsr })).body.error.cause.field).toBe('serverCertCsr');
        const renewed = await extend(wire, routerCsrs(id));
        expect([renewed.status, Object.keys(renewed.body.data)]).toEqual([200, ['cert', 'serverCert', 'ca']]);
        const [leaf] = certificatesOf(renewed.body.data.cert);
        expect(await read(`${collection}/${id}`)).toMatchObject({
          isVerified: true,
          fingerprint: fingerprintOf(leaf!),
        });
        expect(refusalOf(await extend(present(cert), body))).toEqual(unauthorized);
      },
    );

    it('is not renewed while it is disabled, after re-enrollment, deletion or the end of its certificate', async () => {
      const unauthorized = [401, 'UNAUTHORIZED', undefined];
      const { id, wire } = await enrolled(edge);
      const body = routerCsrs(id);
      await send('PATCH', `${edge}/${id}`, { disabled: true });
      expect(refusalOf(await extend(wire, body))).toEqual(unauthorized);
      await send('PATCH', `${edge}/${id}`, { disabled: false });
      await send('POST', `${edge}/${id}/re-enroll`);
      expect(await read(`${edge}/${id}`)).toMatchObject({ isVerified: false, certPem: null });
      expect(await read(`${edge}/${id}`)).not.toHaveProperty('fingerprint');
      expect(await read(`${transit}/${id}`)).toMatchObject({ isVerified: false });
      expect(refusalOf(await extend(wire, body))).toEqual(unauthorized);
      const again = await enroll(await read(`${edge}/${id}`), body);
      expect(again.status).toBe(200);
      const second = await enrolled(edge);
      ahead = 366 * 86_400_000;
      expect(refusalOf(await extend(second.wire, routerCsrs(second.id)))).toEqual(unauthorized);
      ahead = 0;
      await send('DELETE', `${edge}/${second.id}`);
      expect(refusalOf(await extend(second.wire, routerCsrs(second.id)))).toEqual(unauthorized);
    });
  });
});

it('has a lifetime of its own', async () => {
  await using server = await startController({ routerEnrollmentDuration: 60_000 });
  const token = await server.signIn();
  const path = `${management}/${edge}`;
  const { data } = (await server.wire('POST', path, { token, body: { name: 'short' } })).body;
  const shown = (await server.wire('GET', `${path}/${data.id}`, { token })).body.data;
  const lifetime = Date.parse(shown.enrollmentExpiresAt) - Date.parse(shown.enrollmentCreatedAt);
  expect(Math.round(lifetime / 1000)).toBe(60);
});
