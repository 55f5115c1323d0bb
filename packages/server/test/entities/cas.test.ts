import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addCa, caBody, cas } from '../support/registered-cas.ts';
import { createTestCa } from '../support/test-ca.ts';

const empty = { data: {}, meta: {} };

describe.each(storePairs)('CAs on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (body: object) => server.wire('POST', cas, { token, body });
  const read = async (id: string) => (await server.wire('GET', `${cas}/${id}`, { token })).body.data;
  const change = (method: 'PUT' | 'PATCH', id: string, body: object) =>
    server.wire(method, `${cas}/${id}`, { token, body });

  it('are created, read and deleted with the fields of the wire', async () => {
    const ca = createTestCa();
    const created = await create({ ...caBody(ca, { name: 'Example' }), isVerified: true, verificationToken: 'mine' });
    const { id } = created.body.data;
    expect(created.body.data).toEqual({ id, _links: { self: { href: `./cas/${id}` } } });
    expect(id).toMatch(/^[0-9A-Za-z]{22}$/);
    const data = await read(id);
    expect(data).toEqual({
      ...{ id, name: 'Example', certPem: ca.certPem, isVerified: false, tags: {} },
      fingerprint: ca.fingerprint,
      verificationToken: expect.stringMatching(/^[0-9a-zA-Z]{22}$/),
      ...{ isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false, isAuthEnabled: false },
      ...{ identityRoles: null, identityNameFormat: '[caName]-[commonName]' },
      ...{ createdAt: data.createdAt, updatedAt: data.createdAt },
      _links: { self: { href: `./cas/${id}` }, verify: { href: `./cas/${id}/verify` } },
    });
    const removed = await server.wire('DELETE', `${cas}/${id}`, { token });
    expect([removed.status, removed.body]).toEqual([200, empty]);
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const gone = await server.wire(method, `${cas}/${id}`, { token, ...(method === 'PATCH' && { body: {} }) });
      expect([gone.status, gone.body.error.code, gone.body.error.cause.message], method).toEqual([
        ...[404, 'NOT_FOUND'],
        `ca with id ${id} not found`,
      ]);
    }
    const again = await addCa(server, token, { name: 'Example' }, ca);
    expect(again).not.toBe(id);
    expect(await read(again)).toMatchObject({ isVerified: false });
  });

  it('show the links to what applies', async () => {
    const id = await addCa(server, token, { isAutoCaEnrollmentEnabled: true });
    expect(Object.keys((await read(id))._links).sort()).toEqual(['jwt', 'self', 'verify']);
    expect((await read(id))._links.jwt).toEqual({ href: `./cas/${id}/jwt` });
    await change('PATCH', id, { isAutoCaEnrollmentEnabled: false });
    expect(Object.keys((await read(id))._links).sort()).toEqual(['self', 'verify']);
  });

  it('refuse certificates that are none, no CA, taken, or could never issue', async () => {
    const ca = createTestCa();
    const id = await addCa(server, token, {}, ca);
    const refused = async (certPem: string) => {
      const answer = await create(caBody(ca, { certPem }));
      expect(answer.text).not.toContain(ca.certPem.split('\n')[1]);
      const { code, cause } = answer.body.error;
      return [answer.status, code, cause.field, cause.reason];
    };
    const field = [400, 'COULD_NOT_VALIDATE', 'certPem'];
    expect(await refused('nonsense')).toEqual([...field, 'could not parse block #1']);
    expect(await refused('')).toEqual([...field, 'invalid certificate, could not parse PEM body']);
    expect(await refused(ca.certPem)).toEqual([...field, `certificate already used as CA ${id}`]);
    expect(await refused(ca.certPem + createTestCa().certPem)).toEqual([
      ...field,
      `certificate already used as CA ${id}`,
    ]);
    expect(await refused(ca.client('leaf').leafPem)).toEqual([
      400,
      'CERTIFICATE_IS_NOT_CA',
      ...['certPem', expect.any(String)],
    ]);
    const expired = createTestCa('expired', { notAfter: new Date(Date.now() - 1_000) });
    expect(await refused(expired.certPem)).toEqual([...field, expect.stringMatching(/^expired: /)]);
    expect(await refused('x'.repeat(65_537))).toEqual([...field, expect.stringContaining('at most 65536')]);
    const { certPem: _, ...without } = caBody(ca);
    expect((await create(without)).body.error.cause).toMatchObject({ field: 'certPem' });
    const own = server.controller.tlsOptions.cert as string;
    const intermediate = own.slice(own.indexOf('-----BEGIN', 1));
    expect(await refused(intermediate)).toEqual([...field, 'this is the key of a CA of the controller itself']);
  });

  it('have unique names and certificates, also when many are created at once', async () => {
    const ca = createTestCa();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(caBody(ca))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
      expect([status, body.error.cause.field, body.error.cause.reason]).toEqual([
        ...[400, 'certPem'],
        expect.stringMatching(/^certificate already used as CA/),
      ]);
    }
    await addCa(server, token, { name: 'taken' });
    const other = await addCa(server, token);
    for (const answer of [
      await create(caBody(createTestCa(), { name: 'taken' })),
      await change('PATCH', other, { name: 'taken' }),
    ]) {
      expect([answer.status, answer.body.error.code, answer.body.error.cause]).toEqual([
        ...[400, 'COULD_NOT_VALIDATE'],
        { field: 'name', reason: "duplicate value 'taken' in unique index on cas store", value: 'taken' },
      ]);
    }
    expect((await create(caBody(createTestCa(), { name: '' }))).body.error.cause.field).toBe('name');
  });

  it('are changed by PUT and PATCH, but never their certificate and verification', async () => {
    const id = await addCa(server, token, { tags: { a: 1 }, identityRoles: ['b', 'a'] });
    const before = await read(id);
    expect(before).toMatchObject({ identityRoles: ['a', 'b'], tags: { a: 1 } });
    const fixed = {
      certPem: createTestCa().certPem,
      fingerprint: 'x',
      isVerified: true,
      verificationToken: 'x',
      authVersion: 5,
    };
    const flags = { isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true, isAuthEnabled: true };
    const body = { name: `renamed ${id}`, ...flags, identityRoles: ['c'], identityNameFormat: '[caId]' };
    const put = await change('PUT', id, { ...body, ...fixed });
    expect([put.status, put.body]).toEqual([200, empty]);
    const after = await read(id);
    expect(after).toEqual({ ...before, ...body, tags: {}, updatedAt: after.updatedAt, _links: after._links });
    await change('PATCH', id, { ...fixed, isAuthEnabled: null, isOttCaEnrollmentEnabled: false, identityRoles: [] });
    expect(await read(id)).toMatchObject({
      ...{ isAuthEnabled: true, isOttCaEnrollmentEnabled: false, identityRoles: null, certPem: before.certPem },
      ...{ isVerified: false, verificationToken: before.verificationToken, identityNameFormat: '[caId]' },
    });
    await change('PATCH', id, { identityNameFormat: '' });
    expect(await read(id)).toMatchObject({ identityNameFormat: '[caName]-[commonName]' });
    for (const missing of ['name', 'isAuthEnabled', 'identityRoles', 'identityNameFormat']) {
      const answer = await change('PUT', id, { ...body, [missing]: undefined });
      expect([answer.status, answer.body.error.cause.field], missing).toEqual([400, missing]);
    }
  });

  it.each(['#a', '@a'])('refuse the role attribute %s', async (role) => {
    const id = await addCa(server, token);
    const answers = [
      await create(caBody(createTestCa(), { identityRoles: ['a', role] })),
      await change('PATCH', id, { identityRoles: [role] }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.code, body.error.cause.field]).toEqual([400, 'COULD_NOT_VALIDATE', 'identityRoles']);
    }
  });

  it('are filtered and sorted', async () => {
    const tags = { list: 'this' };
    const first = await addCa(server, token, { name: 'list a', tags, isAuthEnabled: true });
    const second = await addCa(server, token, { name: 'list b', tags, isOttCaEnrollmentEnabled: true });
    const { fingerprint, verificationToken } = await read(first);
    const list = async (filter: string, sort = 'name') => {
      const query = new URLSearchParams({ filter: `tags.list = "this" and ${filter}`, sort });
      const answer = await server.wire('GET', `${cas}?${query}`, { token });
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data.map(({ id }: { id: string }) => id);
    };
    expect(await list('true')).toEqual([first, second]);
    expect(await list('true', 'name desc')).toEqual([second, first]);
    expect(await list('true', 'isAuthEnabled desc, createdAt')).toEqual([first, second]);
    expect(await list(`fingerprint = "${fingerprint}"`)).toEqual([first]);
    expect(await list(`verificationToken = "${verificationToken}"`)).toEqual([first]);
    expect(await list('isAuthEnabled = true')).toEqual([first]);
    expect(await list('isOttCaEnrollmentEnabled = true and isVerified = false')).toEqual([second]);
    expect(await list('isAutoCaEnrollmentEnabled = true')).toEqual([]);
    expect(await list('identityNameFormat contains "caName"')).toHaveLength(2);
    expect((await server.wire('GET', `${cas}?filter=authVersion%20%3D%200`, { token })).status).toBe(400);
  });
});
