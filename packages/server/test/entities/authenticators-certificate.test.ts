import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { identities, pending } from '../support/enrollments.ts';
import { addCa, addVerifiedCa, everythingOn } from '../support/registered-cas.ts';
import type { TestCa } from '../support/test-ca.ts';
import { createTestCa } from '../support/test-ca.ts';

const management = '/edge/management/v1';
const authenticators = `${management}/authenticators`;
const hour = 3_600_000;
const day = 24 * hour;

describe.each(storePairs)('authenticators with a certificate on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let ca: TestCa;
  let caId: string;

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    ca = createTestCa('an organisation');
    caId = await addVerifiedCa(server, admin, ca);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const add = async (name: string): Promise<string> => {
    const body = { name, type: 'User', isAdmin: false };
    return (await server.wire('POST', identities, { token: admin, body })).body.data.id;
  };
  const post = (body: object) => server.wire('POST', authenticators, { token: admin, body });
  const read = async (id: string) => (await server.wire('GET', `${authenticators}/${id}`, { token: admin })).body.data;
  const identity = async (id: string) => (await server.wire('GET', `${identities}/${id}`, { token: admin })).body.data;
  /** Enrolls a device and returns its chain in PEM. */
  const enrolled = async (name: string) => {
    const { token, identityId } = await pending(server, admin, name, { ott: true });
    const body = { clientCsr: writeCsr(name) };
    const { data } = (await server.wire('POST', `/enroll?token=${token}`, { body })).body;
    return {
      identityId,
      chain: data.cert as string,
      id: (await identity(identityId)).authenticators.cert.id as string,
    };
  };

  it('are made by an administrator; the body sets nothing that only the server knows', async () => {
    const identityId = await add('a device');
    const client = ca.client('device');
    const held = {
      ...{ fingerprint: 'f'.repeat(40), publicKeyPrint: 'f', isIssuedByNetwork: true, isExtendRequested: true },
      ...{ isKeyRollRequested: true, extendRequestedAt: new Date().toISOString(), lastExtendRolledKeys: true },
      ...{ lastAuthResolvedToRoot: true, pendingCertPem: client.leafPem, pendingFingerprint: client.fingerprint },
      ...{ username: 'nobody', password: 'a password', id: 'chosen', createdAt: '2000-01-01T00:00:00Z' },
    };
    const body = { method: 'cert', identityId, certPem: client.leafPem, tags: { a: 1 }, ...held };
    const created = await post(body);
    expect(created.status, created.text).toBe(201);
    const { id } = created.body.data;
    const { _links, identity: ref, createdAt, updatedAt, ...detail } = await read(id);
    expect(detail).toEqual({
      ...{ id, method: 'cert', identityId, tags: { a: 1 } },
      ...{ certPem: client.leafPem, fingerprint: client.fingerprint },
    });
    expect((await identity(identityId)).authenticators).toEqual({ cert: { id, fingerprint: client.fingerprint } });
    for (const [verb, change] of [
      ['PATCH', { ...held, tags: { b: 2 }, certPem: 'other' }],
      ['PUT', { username: 'somebody', password: 'a password', tags: { b: 2 }, certPem: 'other' }],
    ] as const) {
      const changed = await server.wire(verb, `${authenticators}/${id}`, { token: admin, body: change });
      expect([changed.status, changed.body], verb).toEqual([200, { data: {}, meta: {} }]);
      expect(await read(id)).toMatchObject({ ...detail, tags: { b: 2 } });
      expect(await read(id)).not.toHaveProperty('isIssuedByNetwork');
    }
  });

  it('are refused in the order of the wire', async () => {
    const [identityId, taken] = [await add('refused'), await add('with one')];
    const own = ca.client('used');
    expect((await post({ method: 'cert', identityId: taken, certPem: own.leafPem })).status).toBe(201);
    const good = { method: 'cert', identityId, certPem: ca.client('good').leafPem };
    const { key } = own;
    const old = ca.client('older than its CA', { notBefore: new Date(Date.now() - day) });
    const unverified = createTestCa('unverified');
    await addCa(server, admin, everythingOn, unverified);
    const cases = [
      [{ ...good, certPem: '' }, 400, 'COULD_NOT_VALIDATE', 'certPem'],
      [{ ...good, certPem: null, identityId: 'nobody' }, 400, 'COULD_NOT_VALIDATE', 'certPem'],
      [{ ...good, certPem: 'x'.repeat(70_000) }, 400, 'COULD_NOT_VALIDATE', 'certPem'],
      [{ ...good, identityId: taken, certPem: 'pem' }, 409, 'MAX_AUTHENTICATOR_METHODS_REACHED', undefined],
      [{ ...good, certPem: 'pem' }, 400, 'COULD_NOT_PARSE_PEM_BLOCK', undefined],
      [{ ...good, certPem: good.certPem + own.leafPem }, 400, 'COULD_NOT_PARSE_PEM_BLOCK', undefined],
      [{ ...good, certPem: key }, 400, 'COULD_NOT_PARSE_PEM_BLOCK', undefined],
      [{ ...good, certPem: good.certPem + key }, 400, 'COULD_NOT_PARSE_PEM_BLOCK', undefined],
      [{ ...good, certPem: good.certPem.replace('MII', 'MIJ') }, 400, 'COULD_NOT_PARSE_PEM_BLOCK', undefined],
      [{ ...good, certPem: unverified.client('x').leafPem }, 400, 'CERTIFICATE_FAILED_VALIDATION', 'certPem'],
      [{ ...good, certPem: ca.certPem }, 400, 'CERTIFICATE_FAILED_VALIDATION', 'certPem'],
      [{ ...good, certPem: old.leafPem, identityId: 'nobody' }, 400, 'CERTIFICATE_FAILED_VALIDATION', 'certPem'],
      [{ ...good, identityId: 'nobody' }, 404, 'NOT_FOUND', undefined],
      [{ ...good, certPem: own.leafPem }, 400, 'COULD_NOT_VALIDATE', 'certFingerprint'],
    ] as const;
    for (const [body, status, code, field] of cases) {
      const answer = await post(body);
      const { error } = answer.body;
      const what = String(body.certPem).slice(0, 90);
      expect([answer.status, error?.code, error?.cause?.field], what).toEqual([status, code, field]);
      expect(answer.text).not.toContain('PRIVATE KEY');
    }
    expect((await identity(identityId)).authenticators).toEqual({});
  });

  it('take certificates for any purpose, of the past, of the future and of the network', async () => {
    const soon = { notBefore: new Date(Date.now() + hour / 2), notAfter: new Date(Date.now() + day) };
    const over = { notBefore: new Date(Date.now() - 2 * 60_000), notAfter: new Date(Date.now() - 60_000) };
    const { chain, id } = await enrolled('enrolled');
    const removed = await server.wire('DELETE', `${authenticators}/${id}`, { token: admin });
    expect(removed.status).toBe(200);
    const [leaf] = chain.split(/(?<=-----END CERTIFICATE-----\n)/);
    const pems = [
      ca.client('any purpose', { extensions: [] }).leafPem,
      ca.client('future', soon).leafPem,
      ca.client('past', over).leafPem,
      leaf!,
    ];
    for (const [at, certPem] of pems.entries()) {
      const created = await post({ method: 'cert', identityId: await add(`kind ${at}`), certPem });
      expect(created.status, `${at} ${created.text}`).toBe(201);
      expect(await read(created.body.data.id)).not.toHaveProperty('isIssuedByNetwork');
    }
  });

  it('are found by the symbols of the wire', async () => {
    const { id, identityId, chain } = await enrolled('searched');
    await server.wire('POST', `${authenticators}/${id}/request-extend`, { token: admin, body: { rollKeys: true } });
    const detail = await read(id);
    const filters = [
      `certFingerprint = "${detail.fingerprint}"`,
      `certPem contains "${chain.split('\n')[1]}"`,
      `identity = "${identityId}" and method = "cert"`,
      `identity = "${identityId}" and isIssuedByNetwork = true and isExtendRequested = true`,
      `identity = "${identityId}" and isKeyRollRequested = true and lastExtendRolledKeys = false`,
      `identity = "${identityId}" and extendRequestedAt = datetime(${detail.extendRequestedAt})`,
      `identity = "${identityId}" and lastAuthResolvedToRoot = false and publicKeyPrint != ""`,
    ];
    for (const filter of filters) {
      const query = new URLSearchParams({ filter });
      const { status, body } = await server.wire('GET', `${authenticators}?${query}`, { token: admin });
      expect([status, body.data?.map((found: { id: string }) => found.id)], filter).toEqual([200, [id]]);
      const symbols = ['certFingerprint', 'certPem', 'publicKeyPrint', 'isIssuedByNetwork', 'lastAuthResolvedToRoot'];
      expect(body.meta.filterableFields).toEqual(expect.arrayContaining(symbols));
      expect(body.meta.filterableFields).not.toContain('pendingCertPem');
    }
  });

  it('are replaced by an enrollment of the kind that brought them', async () => {
    const expiresAt = new Date(Date.now() + hour).toISOString();
    const reEnroll = (id: string, body: object = { expiresAt }) => {
      return server.wire('POST', `${authenticators}/${id}/re-enroll`, { token: admin, body });
    };
    const own = await enrolled('own');
    const again = await reEnroll(own.id);
    expect(again.status, again.text).toBe(201);
    const { id: enrollmentId, _links } = again.body.data;
    expect(_links).toEqual({ self: { href: `./enrollments/${enrollmentId}` } });
    const after = await identity(own.identityId);
    expect([after.authenticators, Object.keys(after.enrollment)]).toEqual([{}, ['ott']]);
    expect(after.enrollment.ott).toMatchObject({ id: enrollmentId, expiresAt });
    expect((await reEnroll(own.id)).status).toBe(404);

    const minute = 60_000;
    const over = { notBefore: new Date(Date.now() - 2 * minute), notAfter: new Date(Date.now() - minute) };
    const certPem = ca.client('expired', over).leafPem;
    const third = await post({ method: 'cert', identityId: await add('third-party'), certPem });
    const { identityId } = await read(third.body.data.id);
    expect((await reEnroll(third.body.data.id)).status).toBe(201);
    expect((await identity(identityId)).enrollment.ottca).toMatchObject({ caId });

    const user = await server.addUser(admin);
    const session = await server.signIn(user);
    const { updb } = (await identity(user.id)).authenticators;
    for (const [body, code] of [
      [{}, 'COULD_NOT_VALIDATE'],
      [{ expiresAt: 'soon' }, 'COULD_NOT_PARSE_BODY'],
      [{ expiresAt: new Date(0).toISOString() }, 'INVALID_FIELD'],
    ] as const) {
      const refused = await reEnroll(updb.id, body);
      expect([refused.status, refused.body.error.code]).toEqual([400, code]);
    }
    const outstanding = { identityId: user.id, method: 'updb', username: 'other', expiresAt };
    await server.wire('POST', `${management}/enrollments`, { token: admin, body: outstanding });
    const exists = await reEnroll(updb.id);
    expect([exists.status, exists.body.error.code]).toEqual([409, 'ENROLLMENT_EXISTS']);
    const current = () => server.wire('GET', '/edge/client/v1/current-api-session', { token: session });
    expect((await current()).status).toBe(200);
    const pendingId = (await identity(user.id)).enrollment.updb.id;
    await server.wire('DELETE', `${management}/enrollments/${pendingId}`, { token: admin });
    expect((await reEnroll(updb.id)).status).toBe(201);
    expect((await current()).status).toBe(401);
    const { token } = (await identity(user.id)).enrollment.updb;
    const redeemed = await server.wire('POST', `/enroll?token=${token}`, { body: { password: user.password } });
    expect(redeemed.body.data).toEqual({ username: user.username });
    await server.signIn(user);
  });

  it('of the last administrator cannot be replaced by an enrollment', async () => {
    const { data } = (await server.wire('GET', `${identities}?filter=isDefaultAdmin=true`, { token: admin })).body;
    const body = { expiresAt: new Date(Date.now() + hour).toISOString() };
    const path = `${authenticators}/${data[0].authenticators.updb.id}/re-enroll`;
    const refused = await server.wire('POST', path, { token: admin, body });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'LAST_ADMINISTRATOR']);
    expect((await identity(data[0].id)).enrollment).toEqual({});
    await server.signIn();
  });

  it('are asked to extend by an administrator, and only they', async () => {
    const { id } = await enrolled('asked');
    const request = (target: string, options: object) => {
      return server.wire('POST', `${authenticators}/${target}/request-extend`, { token: admin, ...options });
    };
    expect((await request(id, {})).status).toBe(400);
    expect((await request(id, { body: {} })).body).toEqual({ data: {}, meta: {} });
    const asked = await read(id);
    expect(asked).toMatchObject({ isExtendRequested: true, extendRequestedAt: expect.stringMatching(/^\d{4}-/) });
    expect(asked).not.toHaveProperty('isKeyRollRequested');
    expect((await request(id, { body: { rollKeys: true } })).status).toBe(200);
    expect(await read(id)).toMatchObject({ isKeyRollRequested: true });
    expect((await request('nothing', { body: {} })).status).toBe(404);
    const user = await server.addUser(admin, {});
    const { updb } = (await identity(user.id)).authenticators;
    const password = await request(updb.id, { body: {} });
    expect([password.status, password.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(password.body.error.cause.message).toContain('cert');
    const session = await server.signIn(user);
    for (const path of ['request-extend', 're-enroll']) {
      const body = { expiresAt: new Date(Date.now() + hour).toISOString() };
      const foreign = await server.wire('POST', `${authenticators}/${id}/${path}`, { token: session, body });
      expect([foreign.status, foreign.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });
});
