import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDevice as insertDevice, networkClient, networkOf } from '../support/certificate-users.ts';
import type { KeyPair } from '../support/certificate-writer.ts';
import { newKeys } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { pending } from '../support/enrollments.ts';
import { addVerifiedCa } from '../support/registered-cas.ts';
import { wireOf } from '../support/request.ts';
import type { TestClient } from '../support/test-ca.ts';
import { clientOf, createTestCa } from '../support/test-ca.ts';

const management = '/edge/management/v1';
const own = '/edge/client/v1/current-identity/authenticators';
const password = 'a password of a device';

/** A device with a certificate of the network and a password. */
interface Device {
  readonly id: string;
  readonly identityId: string;
  readonly client: TestClient;
  readonly session: string;
}

describe.each(storePairs)('the extension of certificates on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let ahead = 0;
  let made = 0;

  beforeAll(async () => {
    server = await startController({ ...(await open()), clock: () => Date.now() + ahead });
    admin = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const addIdentity = async (name: string): Promise<string> => {
    const body = { name, type: 'User', isAdmin: false };
    return (await server.wire('POST', `${management}/identities`, { token: admin, body })).body.data.id;
  };
  const addPassword = async (identityId: string) => {
    made += 1;
    const account = { username: `device-${made}`, password };
    const body = { method: 'updb', identityId, ...account };
    expect((await server.wire('POST', `${management}/authenticators`, { token: admin, body })).status).toBe(201);
    return await server.signIn(account);
  };
  const addDevice = async (): Promise<Device> => {
    const { token, identityId } = await pending(server, admin, `a device ${made}`, { ott: true });
    const keys = newKeys();
    const body = { clientCsr: writeCsr('device', { keys }) };
    const { data } = (await server.wire('POST', `/enroll?token=${token}`, { body })).body;
    const session = await addPassword(identityId);
    const path = `${management}/identities/${identityId}`;
    const { cert } = (await server.wire('GET', path, { token: admin })).body.data.authenticators;
    return { id: cert.id, identityId, client: clientOf(keys, [data.cert]), session };
  };
  const read = async (id: string) => {
    return (await server.wire('GET', `${management}/authenticators/${id}`, { token: admin })).body.data;
  };
  const extend = ({ id, client, session }: Pick<Device, 'id' | 'client' | 'session'>, keys: KeyPair = newKeys()) => {
    const body = { clientCertCsr: writeCsr('renewed', { keys }) };
    return wireOf(server, client)('POST', `${own}/${id}/extend`, { token: session, body });
  };
  const verify = ({ id, session }: Pick<Device, 'id' | 'session'>, clientCert: string) => {
    return server.wire('POST', `${own}/${id}/extend-verify`, { token: session, body: { clientCert } });
  };
  const request = (id: string, body: object) => {
    return server.wire('POST', `${management}/authenticators/${id}/request-extend`, { token: admin, body });
  };
  const outcome = ({ status, body }: Awaited<ReturnType<typeof verify>>) => `${status} ${body.error?.code ?? ''}`;

  /** Signs in with a certificate, and returns the token. `null`: 401. */
  const signIn = async (client: TestClient): Promise<string | null> => {
    const { status, body } = await wireOf(server, client)('POST', '/authenticate?method=cert', { body: {} });
    expect([200, 401]).toContain(status);
    return status === 200 ? body.data.token : null;
  };

  it('swaps which certificate signs in when the new one is confirmed; sessions go on', async () => {
    const device = await addDevice();
    const session = await signIn(device.client);
    expect(session).not.toBeNull();
    const keys = newKeys();
    const { clientCert } = (await extend({ ...device, session: session ?? '' }, keys)).body.data;
    const renewed = clientOf(keys, [clientCert]);
    expect([await signIn(device.client), await signIn(renewed)]).toEqual([expect.any(String), null]);
    expect(outcome(await verify({ ...device, session: session ?? '' }, clientCert))).toBe('200 ');
    expect([await signIn(device.client), await signIn(renewed)]).toEqual([null, expect.any(String)]);
    const isAlive = async () => {
      const current = await server.wire('GET', '/edge/client/v1/current-api-session', { token: session ?? '' });
      return current.status === 200;
    };
    expect(await isAlive()).toBe(true);
    const body = { expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
    const path = `${management}/authenticators/${device.id}/re-enroll`;
    expect((await server.wire('POST', path, { token: admin, body })).status).toBe(201);
    expect([await isAlive(), await signIn(renewed)]).toEqual([false, null]);
  });

  it('issues a certificate that counts after it is confirmed', async () => {
    const device = await addDevice();
    await request(device.id, {});
    const before = await read(device.id);
    const keys = newKeys();
    const extended = await extend(device, keys);
    expect([extended.status, extended.body.meta]).toEqual([200, {}]);
    const { clientCert, ca } = extended.body.data;
    expect(ca).toMatch(/^\n-----BEGIN CERTIFICATE-----/);
    const issued = new X509Certificate(clientCert);
    expect(clientCert.match(/BEGIN CERTIFICATE/g).length).toBeGreaterThan(1);
    const leaf = new X509Certificate(device.client.leafPem);
    expect([issued.subject, issued.subjectAltName]).toEqual(['CN=renewed', leaf.subjectAltName]);
    const { updatedAt: _changed, ...unchanged } = before;
    expect(await read(device.id)).toMatchObject(unchanged);

    const confirmed = await verify(device, clientCert);
    expect([confirmed.status, confirmed.body]).toEqual([200, { data: {}, meta: {} }]);
    const after = await read(device.id);
    const { fingerprint } = clientOf(keys, [issued.toString()]);
    expect(after).toMatchObject({ id: device.id, fingerprint, certPem: issued.toString(), isIssuedByNetwork: true });
    expect(after).toMatchObject({ extendRequestedAt: before.extendRequestedAt, lastExtendRolledKeys: true });
    for (const name of ['isExtendRequested', 'isKeyRollRequested', 'pendingCertPem', 'pendingFingerprint']) {
      expect(after).not.toHaveProperty(name);
    }
    const current = await server.wire('GET', '/edge/client/v1/current-api-session', { token: device.session });
    expect(current.status).toBe(200);
    expect(outcome(await verify(device, clientCert))).toBe('409 CAN_NOT_UPDATE_AUTHENTICATOR');
    expect(outcome(await extend(device))).toBe('401 UNAUTHORIZED');
    const renewed = { ...device, client: clientOf(keys, [clientCert]) };
    const again = await extend(renewed, keys);
    expect(outcome(await verify(device, again.body.data.clientCert))).toBe('200 ');
    expect(await read(device.id)).not.toHaveProperty('lastExtendRolledKeys');
  });

  it('refuses in the order of the wire', async () => {
    const [device, other] = [await addDevice(), await addDevice()];
    const path = `${own}/${device.id}/extend`;
    const body = { clientCertCsr: 'nonsense' };
    const noBody = await server.wire('POST', path, { token: device.session, body: {} });
    expect(outcome(noBody)).toBe('400 COULD_NOT_VALIDATE');
    const without = await server.wire('POST', `${own}/nothing/extend`, { token: device.session, body });
    expect([outcome(without), without.body.error.cause]).toEqual(['401 UNAUTHORIZED', undefined]);
    const updb = (await server.wire('GET', own, { token: device.session })).body.data;
    const { id: passwordId } = updb.find(({ method }: { method: string }) => method === 'updb');
    const of = (id: string, { client, session } = device) => {
      return wireOf(server, client)('POST', `${own}/${id}/extend`, { token: session, body });
    };
    const unknown = await of('nothing');
    expect([outcome(unknown), unknown.body.error.cause]).toEqual(['404 NOT_FOUND', undefined]);
    expect(outcome(await of(passwordId))).toBe('409 CAN_NOT_UPDATE_AUTHENTICATOR');
    expect(outcome(await of(other.id))).toBe('401 UNAUTHORIZED');
    expect(outcome(await of(device.id, { ...device, client: other.client }))).toBe('401 UNAUTHORIZED');
    const outsider = createTestCa('an outsider').client('device');
    const filler = { ...outsider, cert: outsider.cert + device.client.cert };
    expect(outcome(await of(device.id, { ...device, client: filler }))).toBe('401 UNAUTHORIZED');
    expect(outcome(await of(device.id))).toBe('400 COULD_NOT_PROCESS_CSR');
    const anonymous = await wireOf(server, device.client)('POST', path, { body });
    expect(outcome(anonymous)).toBe('401 UNAUTHORIZED');

    const { clientCert } = (await extend(device)).body.data;
    expect(outcome(await verify({ ...device, id: 'nothing' }, clientCert))).toBe('404 NOT_FOUND');
    expect(outcome(await verify({ ...device, id: passwordId }, clientCert))).toBe('409 CAN_NOT_UPDATE_AUTHENTICATOR');
    expect(outcome(await verify({ ...device, session: other.session }, clientCert))).toBe('401 UNAUTHORIZED');
    expect(outcome(await verify(other, clientCert))).toBe('409 CAN_NOT_UPDATE_AUTHENTICATOR');
    for (const wrong of ['', 'nonsense', device.client.leafPem, other.client.leafPem + clientCert]) {
      expect(outcome(await verify(device, wrong))).toBe('400 INVALID_CLIENT_CERT');
    }
    expect(outcome(await verify(device, clientCert))).toBe('200 ');
  });

  it('never works for a certificate that the network has not issued for the authenticator', async () => {
    const ca = createTestCa('an organisation');
    await addVerifiedCa(server, admin, ca);
    const enrolled = await addDevice();
    await server.wire('DELETE', `${management}/authenticators/${enrolled.id}`, { token: admin });
    for (const client of [ca.client('device'), enrolled.client]) {
      const identityId = await addIdentity(`not of the network ${client.fingerprint}`);
      const body = { method: 'cert', identityId, certPem: client.leafPem };
      const created = await server.wire('POST', `${management}/authenticators`, { token: admin, body });
      expect(created.status, created.text).toBe(201);
      const { id } = created.body.data;
      expect((await request(id, {})).status).toBe(200);
      const device = { id, client, session: await addPassword(identityId) };
      expect(outcome(await extend(device))).toBe('409 CAN_NOT_UPDATE_AUTHENTICATOR');
      expect(outcome(await verify(device, client.leafPem))).toBe('409 CAN_NOT_UPDATE_AUTHENTICATOR');
    }
  });

  it('asks for a new key when a key roll is requested', async () => {
    const device = await addDevice();
    await request(device.id, { rollKeys: true });
    const same = await extend(device, device.client.keys);
    expect([outcome(same), same.body.error.cause.message]).toEqual([
      '400 COULD_NOT_PROCESS_CSR',
      expect.stringContaining('new key'),
    ]);
    const rolled = await extend(device);
    expect(outcome(await verify(device, rolled.body.data.clientCert))).toBe('200 ');
    expect(await read(device.id)).toMatchObject({ lastExtendRolledKeys: true });
  });

  it('goes on asking for a new key when the certificate was issued for the old one before', async () => {
    const device = await addDevice();
    const same = await extend(device, device.client.keys);
    await request(device.id, { rollKeys: true });
    expect(outcome(await verify(device, same.body.data.clientCert))).toBe('200 ');
    expect(await read(device.id)).toMatchObject({ isExtendRequested: true, isKeyRollRequested: true });
  });

  it('counts the last certificate when several are issued, and confirms once', async () => {
    const device = await addDevice();
    const [first, second] = [await extend(device), await extend(device)];
    expect(outcome(await verify(device, first.body.data.clientCert))).toBe('400 INVALID_CLIENT_CERT');
    const both = await Promise.all([1, 2].map(() => verify(device, second.body.data.clientCert)));
    expect(both.map(outcome).sort()).toEqual(['200 ', '409 CAN_NOT_UPDATE_AUTHENTICATOR']);
    const next = { ...device, client: clientOf(newKeys(), [second.body.data.clientCert]) };
    expect((await read(device.id)).fingerprint).toBe(next.client.fingerprint);
  });

  it('extends a certificate that has expired', async () => {
    const device = await addDevice();
    const username = `device-${made}`;
    ahead = 366 * 86_400_000;
    try {
      const session = await server.signIn({ username, password });
      const extended = await extend({ ...device, session });
      expect(extended.status, extended.text).toBe(200);
      const { validFromDate, validToDate } = new X509Certificate(extended.body.data.clientCert);
      const now = Date.now() + ahead;
      expect(validFromDate.getTime() < now && now < validToDate.getTime()).toBe(true);
      expect(outcome(await verify({ ...device, session }, extended.body.data.clientCert))).toBe('200 ');
    } finally {
      ahead = 0;
    }
  });

  it('refuses a certificate that is not valid yet', async () => {
    const notBefore = new Date(Date.now() + 60_000);
    const client = networkClient(networkOf(server), 'a device of tomorrow', { notBefore });
    const { identityId, authenticatorId: id } = await insertDevice(server, admin, { client });
    const session = await addPassword(identityId);
    expect(outcome(await extend({ id, client, session }))).toBe('401 UNAUTHORIZED');
  });
});
