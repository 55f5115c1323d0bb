import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKeys } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { identities, pending } from '../support/enrollments.ts';
import { addCa, addVerifiedCa, cas, everythingOn } from '../support/registered-cas.ts';
import { wireOf } from '../support/request.ts';
import type { TestCa, TestClient } from '../support/test-ca.ts';
import { createTestCa } from '../support/test-ca.ts';

describe.each(storePairs)('enrollment with a certificate of a third-party CA on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let ca: TestCa;
  let caId: string;

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    ca = createTestCa('an organisation');
    caId = await addCa(server, admin, everythingOn, ca);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const add = (name: string, ottca = caId) => pending(server, admin, name, { ottca });
  const enroll = (client: Pick<TestClient, 'key' | 'cert'>, token: string) => {
    const headers = { 'content-type': 'text/plain' };
    return wireOf(server, client)('POST', `/enroll?method=ottca&token=${token}`, { raw: '', headers });
  };
  const outcome = ({ status, body }: Awaited<ReturnType<typeof enroll>>) => `${status} ${body.error?.code ?? ''}`;
  const identity = async (id: string) => (await server.wire('GET', `${identities}/${id}`, { token: admin })).body.data;
  const patch = (id: string, body: object) => server.wire('PATCH', `${cas}/${id}`, { token: admin, body });

  it('takes the certificate of the connection, also when the CA is not verified', async () => {
    const { token, identityId } = await add('a device');
    const client = ca.intermediate('a department').client('device');
    const enrolled = await enroll(client, token);
    expect([enrolled.status, enrolled.body]).toEqual([200, { data: {}, meta: {} }]);
    expect(enrolled.headers['content-type']).toBe('application/json');
    const { authenticators, enrollment } = await identity(identityId);
    expect([authenticators.cert.fingerprint, enrollment]).toEqual([client.fingerprint, {}]);
    const path = `/edge/management/v1/authenticators/${authenticators.cert.id}`;
    const { data } = (await server.wire('GET', path, { token: admin })).body;
    expect(data.certPem).toBe(client.leafPem);
    expect(data).not.toHaveProperty('isIssuedByNetwork');
    expect(outcome(await enroll(client, token))).toBe('400 INVALID_ENROLLMENT_TOKEN');

    const second = await add('with the same certificate');
    const inUse = await enroll(client, second.token);
    expect([outcome(inUse), inUse.body.error.cause]).toEqual([
      '409 CERT_IN_USE',
      { data: { fingerprint: client.fingerprint } },
    ]);
    const own = wireOf(server, ca.client('other'));
    const body = { token: second.token, clientCsr: 'ignored' };
    expect((await own('POST', '/edge/client/v1/enroll/ottca', { body })).body).toEqual({ data: {}, meta: {} });
  });

  it('shows the CA of a pending enrollment as the CA shows itself: with its name and its links', async () => {
    const name = 'a factory';
    const id = await addVerifiedCa(server, admin, createTestCa(), { name });
    const { identityId } = await add('from the factory', id);
    const shown = async () => (await identity(identityId)).enrollment.ottca;
    const self = { href: `./cas/${id}` };
    const jwt = { href: `./cas/${id}/jwt` };
    expect(await shown()).toMatchObject({ caId: id });
    expect((await shown()).ca).toEqual({ _links: { self, jwt }, entity: 'cas', id, name });
    await patch(id, { isAutoCaEnrollmentEnabled: false });
    expect((await shown()).ca._links).toEqual({ self });
  });

  it('refuses all that TLS does not prove, and the enrollment stays', async () => {
    const { token, identityId } = await add('careful');
    const outsider = createTestCa('an outsider').client('device');
    const somebody = ca.client('somebody');
    const hour = 3_600_000;
    const [notBefore, notAfter] = [new Date(Date.now() + hour), new Date(Date.now() + 2 * hour)];
    const twin = createTestCa('an organisation', { keys: newKeys() });
    const refused: Record<string, Pick<TestClient, 'key' | 'cert'>> = {
      'of another CA': outsider,
      'of another CA, with a filler': { ...outsider, cert: outsider.cert + somebody.leafPem + ca.certPem },
      'of another CA with the same name': twin.client('device'),
      'not valid yet': ca.client('early', { notBefore, notAfter }),
      'the CA itself as the leaf of somebody': { ...outsider, cert: outsider.leafPem + ca.certPem },
    };
    for (const [what, client] of Object.entries(refused)) {
      expect(outcome(await enroll(client, token)), what).toBe('400 CERTIFICATE_FAILED_VALIDATION');
    }
    const path = `/enroll?token=${token}`;
    const without = await server.wire('POST', path, {
      headers: { 'x-client-certpem': encodeURIComponent(somebody.leafPem) },
    });
    expect(outcome(without)).toBe('400 CERTIFICATE_FAILED_VALIDATION');
    expect(outcome(await server.wire('POST', '/enroll/ottca', { body: {} }))).toBe('400 INVALID_ENROLLMENT_TOKEN');
    await patch(caId, { isOttCaEnrollmentEnabled: false });
    expect(outcome(await enroll(somebody, token))).toBe('400 ENROLLMENT_CA_NOT_VALID');
    await patch(caId, { isOttCaEnrollmentEnabled: true });
    expect((await identity(identityId)).enrollment.ottca.token).toBe(token);
    expect(outcome(await enroll(somebody, token))).toBe('200 ');
  });

  it('redeems a token once, whatever the certificates', async () => {
    const { token, identityId } = await add('contested');
    const clients = Array.from({ length: 12 }, (_, at) => ca.client(`device ${at}`));
    const all = await Promise.all(clients.map((client) => enroll(client, token)));
    const codes = all.map(outcome).sort();
    expect(codes).toEqual(['200 ', ...Array.from({ length: 11 }, () => '400 INVALID_ENROLLMENT_TOKEN')]);
    const winner = clients[all.findIndex(({ status }) => status === 200)];
    expect((await identity(identityId)).authenticators.cert.fingerprint).toBe(winner?.fingerprint);
  });

  it('is over when the CA is deleted, also at the same moment', async () => {
    const doomed = createTestCa('doomed');
    const id = await addCa(server, admin, everythingOn, doomed);
    const { token, identityId } = await add('left behind', id);
    const others = await Promise.all(Array.from({ length: 4 }, (_, at) => add(`left behind ${at}`, id)));
    const [deleted, ...redeemed] = await Promise.all([
      server.wire('DELETE', `${cas}/${id}`, { token: admin }),
      ...others.map((other) => enroll(doomed.client('device'), other.token)),
    ]);
    expect(deleted?.status).toBe(200);
    for (const answer of redeemed) expect(['200 ', '400 INVALID_ENROLLMENT_TOKEN']).toContain(outcome(answer));
    expect(outcome(await enroll(doomed.client('device'), token))).toBe('400 INVALID_ENROLLMENT_TOKEN');
    expect((await identity(identityId)).enrollment).toEqual({});
  });
});
