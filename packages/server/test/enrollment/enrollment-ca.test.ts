import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extendedKeyUsage, purposes, uri } from '../support/certificate-extensions.ts';
import { nameOf } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { identities } from '../support/enrollments.ts';
import { addCa, addVerifiedCa, everythingOn } from '../support/registered-cas.ts';
import { wireOf } from '../support/request.ts';
import type { TestClient } from '../support/test-ca.ts';
import { createTestCa } from '../support/test-ca.ts';

const management = '/edge/management/v1';
const claim = {
  ...{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'device', parser: 'NONE', parserCriteria: '' },
  index: 0,
};

describe.each(storePairs)('enrollment by a third-party CA on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  const events: object[] = [];

  beforeAll(async () => {
    server = await startController(await open());
    server.controller.events.on('enrollment.redeemed', (event) => events.push(event));
    admin = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const enroll = (client: Pick<TestClient, 'key' | 'cert'>, body?: object, path = '/enroll?method=ca') => {
    return wireOf(server, client)('POST', path, body === undefined ? {} : { body });
  };
  const outcome = ({ status, body }: Awaited<ReturnType<typeof enroll>>) => `${status} ${body.error?.code ?? ''}`;
  const named = async (name: string) => {
    const query = new URLSearchParams({ filter: `name = "${name}"` });
    return (await server.wire('GET', `${identities}?${query}`, { token: admin })).body.data[0];
  };
  const patch = (id: string, body: object) => server.wire('PATCH', `${management}/cas/${id}`, { token: admin, body });

  it('needs a CA first', async () => {
    const client = createTestCa('nobody').client('device');
    expect(outcome(await enroll(client))).toBe('400 ENROLLMENT_NO_VALID_CAS');
    expect(outcome(await server.wire('POST', '/enroll?method=ca'))).toBe('400 ENROLLMENT_NO_VALID_CAS');
  });

  it('makes an identity with the certificate as its authenticator', async () => {
    const ca = createTestCa('an organisation');
    await addVerifiedCa(server, admin, ca, { name: 'organisation', identityRoles: ['sensors', 'north'] });
    const client = ca.client('sensor 7');
    const enrolled = await enroll(client);
    expect([enrolled.status, enrolled.body]).toEqual([200, { data: {}, meta: {} }]);
    expect(enrolled.headers['content-type']).toBe('application/json');
    const identity = await named('organisation-sensor 7');
    expect(identity).toMatchObject({
      ...{ typeId: 'Default', isAdmin: false, authPolicyId: 'default', externalId: null },
      ...{ roleAttributes: ['north', 'sensors'], enrollment: {} },
      authenticators: { cert: { fingerprint: client.fingerprint } },
    });
    const path = `${management}/authenticators/${identity.authenticators.cert.id}`;
    const detail = (await server.wire('GET', path, { token: admin })).body.data;
    expect(detail).toMatchObject({ method: 'cert', certPem: client.leafPem, fingerprint: client.fingerprint });
    expect(detail).not.toHaveProperty('isIssuedByNetwork');
    expect(events).toContainEqual({ identityId: identity.id, enrollmentId: null, method: 'ca' });
    const again = await enroll(client);
    expect([outcome(again), again.body.error.cause]).toEqual(['409 CERT_IN_USE', undefined]);
  });

  it('names the identity as the CA says, and takes every request of existing clients', async () => {
    const ca = createTestCa('with a format');
    const identityNameFormat = '[requestedName] of [caName] ([commonName])';
    const id = await addVerifiedCa(server, admin, ca, { name: 'names', identityNameFormat });
    const wire = (client: TestClient) => wireOf(server, client);
    const requests = [
      () => enroll(ca.client('a'), { name: 'my pump' }),
      () => wire(ca.client('b'))('POST', '/enroll?method=ca', { raw: '', headers: { 'content-type': 'text/plain' } }),
      () => wire(ca.client('c'))('POST', '/enroll?method=ca', { raw: '' }),
      () => enroll(ca.client('d'), { name: 'my door' }, '/edge/client/v1/enroll/ca'),
      () => enroll(ca.client('\0\n'), { name: 'strange' }),
      () => enroll(ca.client(nameOf(['2.5.4.10', 'no common name'])), { name: 'x'.repeat(5_000) }),
    ];
    for (const request of requests) expect(outcome(await request())).toBe('200 ');
    for (const name of ['my pump of names (a)', 'my door of names (d)', 'strange of names ()']) {
      expect(await named(name), name).toBeDefined();
    }
    const query = new URLSearchParams({ filter: 'name contains " of names ("' });
    const { data } = (await server.wire('GET', `${identities}?${query}`, { token: admin })).body;
    const unnamed = data.filter(({ id: own, name }: { id: string; name: string }) => name.startsWith(own));
    expect(unnamed).toHaveLength(2);
    expect((await patch(id, { identityNameFormat: '[identityId]' })).status).toBe(200);
    expect(outcome(await enroll(ca.client('e')))).toBe('200 ');
  });

  it('puts a counter behind a name that is taken, also when 50 devices come at once', async () => {
    const ca = createTestCa('a factory');
    await addVerifiedCa(server, admin, ca, { name: 'factory' });
    const clients = Array.from({ length: 50 }, () => ca.client('lamp'));
    expect(outcome(await enroll(clients.pop()!))).toBe('200 ');
    expect(outcome(await enroll(clients.pop()!))).toBe('200 ');
    expect(outcome(await enroll(clients.pop()!))).toBe('200 ');
    for (const suffix of ['', '000001', '000001000002']) expect(await named(`factory-lamp${suffix}`)).toBeDefined();
    const all = await Promise.all(clients.map((client) => enroll(client)));
    expect(all.map(outcome)).toEqual(clients.map(() => '200 '));
    const query = new URLSearchParams({ filter: 'name contains "factory-lamp"', limit: '500' });
    const { data } = (await server.wire('GET', `${identities}?${query}`, { token: admin })).body;
    expect(data).toHaveLength(50);
    for (const { name } of data) expect(name).toMatch(/^factory-lamp(?:\d{6})*$/);
  });

  it('trusts only the leaf that TLS proves, below a CA that is verified and open', async () => {
    const ca = createTestCa('strict');
    const [own, other] = [createTestCa('made up'), ca.client('somebody')];
    const unverified = createTestCa('unverified');
    await addCa(server, admin, everythingOn, unverified);
    const id = await addVerifiedCa(server, admin, ca, { isAuthEnabled: false });
    const outsider = own.client('outsider');
    const minute = 60_000;
    const expired = { notBefore: new Date(Date.now() - 9 * minute), notAfter: new Date(Date.now() - minute) };
    const refused: Record<string, Pick<TestClient, 'key' | 'cert'>> = {
      'of an unknown CA': outsider,
      'of an unknown CA, with a filler': { ...outsider, cert: outsider.cert + other.leafPem + ca.certPem },
      'of an unknown CA of the same name': createTestCa('strict').client('impostor'),
      'below a device': { ...outsider, cert: outsider.cert + ca.client('made up').leafPem + ca.certPem },
      'of an unverified CA': unverified.client('device'),
      'that has expired': ca.client('late', expired),
      'for servers only': ca.client('server', { extensions: [extendedKeyUsage(purposes.serverAuth)] }),
    };
    for (const [what, client] of Object.entries(refused)) {
      expect(outcome(await enroll(client)), what).toBe('400 CERT_FAILED_VALIDATION');
    }
    expect(outcome(await server.wire('POST', '/enroll?method=ca'))).toBe('400 CERT_FAILED_VALIDATION');
    expect(outcome(await enroll(ca.client('for anything', { extensions: [] })))).toBe('200 ');
    const below = ca.intermediate('a department').intermediate('a team').client('deep');
    expect(outcome(await enroll({ ...below, cert: below.cert + own.certPem + ca.certPem }))).toBe('200 ');
    await patch(id, { isAutoCaEnrollmentEnabled: false });
    expect(outcome(await enroll(other))).toBe('400 CERT_FAILED_VALIDATION');
    await patch(id, { isAutoCaEnrollmentEnabled: true });
    expect(outcome(await enroll(other))).toBe('200 ');
    expect((await server.wire('DELETE', `${management}/cas/${id}`, { token: admin })).status).toBe(200);
    expect(outcome(await enroll(ca.client('too late')))).toBe('400 CERT_FAILED_VALIDATION');
  });

  it('with a claim gives the identity an external id and no authenticator', async () => {
    const ca = createTestCa('claims');
    await addVerifiedCa(server, admin, ca, { name: 'claims', externalIdClaim: claim });
    const first = await enroll(ca.client('first', { names: [uri('device:1')] }));
    expect([first.status, first.body.data]).toEqual([200, {}]);
    expect(await named('claims-first')).toMatchObject({ externalId: 'device:1', authenticators: {} });
    for (const names of [[], [uri('other:1')]]) {
      expect(outcome(await enroll(ca.client('unnamed', { names })))).toBe('400 MISSING_CERT_CLAIM');
    }
    const taken = await enroll(ca.client('second', { names: [uri('device:1')] }));
    expect([outcome(taken), taken.body.error.cause.field]).toEqual(['409 CERT_IN_USE', 'externalId']);
    expect(await named('claims-second')).toBeUndefined();
    const race = Array.from({ length: 10 }, (_, at) => ca.client(`racer ${at}`, { names: [uri('device:2')] }));
    const all = (await Promise.all(race.map((client) => enroll(client)))).map(outcome).sort();
    expect(all).toEqual(['200 ', ...Array.from({ length: 9 }, () => '409 CERT_IN_USE')]);
  });

  it('enrolls a certificate once, however many requests come', async () => {
    const ca = createTestCa('repeated');
    await addVerifiedCa(server, admin, ca, { name: 'repeated' });
    const client = ca.client('device');
    const all = (await Promise.all(Array.from({ length: 12 }, () => enroll(client)))).map(outcome).sort();
    expect(all).toEqual(['200 ', ...Array.from({ length: 11 }, () => '409 CERT_IN_USE')]);
  });
});
