import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addSigner, signerBody, signersPath } from '../support/external-jwt-signers.ts';
import { createTestCa } from '../support/test-ca.ts';

const empty = { data: {}, meta: {} };
const zeroDate = '0001-01-01T00:00:00.000Z';
const withoutCertificate = {
  certPem: null,
  commonName: '',
  fingerprint: null,
  notBefore: zeroDate,
  notAfter: zeroDate,
};

describe.each(storePairs)('external JWT signers on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (body: object) => server.wire('POST', signersPath, { token, body });
  const read = async (id: string) => (await server.wire('GET', `${signersPath}/${id}`, { token })).body.data;
  const change = (method: 'PUT' | 'PATCH', id: string, body: object) =>
    server.wire(method, `${signersPath}/${id}`, { token, body });

  it('are created, read and deleted with the fields and defaults of the wire', async () => {
    const required = signerBody({ fingerprint: 'mine', commonName: 'mine', authVersion: 7, notAfter: zeroDate });
    const created = await create(required);
    const { id } = created.body.data;
    expect([created.status, created.body]).toEqual([
      201,
      { data: { id, _links: { self: { href: `./external-jwt-signers/${id}` } } }, meta: {} },
    ]);
    expect(id).toMatch(/^[0-9A-Za-z]{22}$/);
    const data = await read(id);
    const { name, issuer, jwksEndpoint } = required;
    expect(data).toEqual({
      ...{ id, name, issuer, jwksEndpoint, enabled: true, audience: 'the controller', ...withoutCertificate },
      ...{ kid: null, claimsProperty: '/sub', useExternalId: false, externalAuthUrl: null, clientId: null },
      ...{ scopes: null, targetToken: 'ACCESS', enrollAuthPolicyId: 'default', enrollNameClaimsSelector: '/sub' },
      ...{ tags: {}, createdAt: data.createdAt, updatedAt: data.createdAt },
      _links: { self: { href: `./external-jwt-signers/${id}` } },
    });
    const removed = await server.wire('DELETE', `${signersPath}/${id}`, { token });
    expect([removed.status, removed.body]).toEqual([200, empty]);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'PUT' ? signerBody() : method === 'PATCH' ? {} : undefined;
      const gone = await server.wire(method, `${signersPath}/${id}`, { token, ...(body && { body }) });
      expect([gone.status, gone.body.error.code, gone.body.error.cause.message], method).toEqual([
        ...[404, 'NOT_FOUND'],
        `externalJwtSigner with id ${id} not found`,
      ]);
    }
  });

  it('show every field that was sent, and what is read from the certificate', async () => {
    const dates = { notBefore: new Date('2020-01-02T03:04:05Z'), notAfter: new Date('2021-01-02T03:04:05Z') };
    const ca = createTestCa('Signing key 1', dates);
    const sent = {
      ...{
        kid: 'k1',
        claimsProperty: 'email',
        useExternalId: true,
        externalAuthUrl: 'https://login.example.com/a?b=c',
      },
      ...{ clientId: 'console', scopes: ['email', 'openid'], targetToken: 'ID', enrollToCertEnabled: true },
      ...{ enrollNameClaimsSelector: '/profile/name', enrollAttributeClaimsSelector: '/roles' },
      ...{ tags: { team: 'red' }, enabled: false },
    };
    const id = await addSigner(server, token, { ...sent, certPem: ca.certPem, jwksEndpoint: null });
    expect(await read(id)).toMatchObject({
      ...sent,
      ...{ certPem: ca.certPem, jwksEndpoint: null, commonName: 'Signing key 1', fingerprint: ca.fingerprint },
      ...{ notBefore: '2020-01-02T03:04:05.000Z', notAfter: '2021-01-02T03:04:05.000Z' },
    });
    expect(await read(id)).not.toHaveProperty('enrollToTokenEnabled');
    const next = createTestCa('Signing key 2');
    expect((await change('PATCH', id, { certPem: next.certPem })).status).toBe(200);
    expect(await read(id)).toMatchObject({ commonName: 'Signing key 2', fingerprint: next.fingerprint, kid: 'k1' });
  });

  it('change by PATCH only what is sent, and what is cleared with an empty text', async () => {
    const given = {
      ...{ kid: 'to be cleared', clientId: 'c', externalAuthUrl: 'https://a.example.com', scopes: ['openid'] },
      ...{ targetToken: 'ID', claimsProperty: '/email', useExternalId: true, enrollNameClaimsSelector: '/name' },
      ...{ enrollToCertEnabled: true, enrollAttributeClaimsSelector: '/roles', tags: { a: 1 } },
    };
    const id = await addSigner(server, token, given);
    const before = await read(id);
    const nothing = Object.fromEntries(Object.keys(signerBody(given)).map((name) => [name, null]));
    expect((await change('PATCH', id, nothing)).status).toBe(200);
    expect(await read(id)).toEqual({ ...before, updatedAt: expect.any(String) });
    const cleared = {
      ...{ kid: '', clientId: '', externalAuthUrl: ' ', scopes: [], targetToken: '', claimsProperty: ' ' },
      ...{ audience: '', enrollNameClaimsSelector: '', enrollAttributeClaimsSelector: '', enrollAuthPolicyId: '' },
    };
    expect((await change('PATCH', id, { ...cleared, useExternalId: false, enrollToCertEnabled: false })).status).toBe(
      200,
    );
    const { enrollToCertEnabled: _, enrollAttributeClaimsSelector: __, ...others } = before;
    expect(await read(id)).toEqual({
      ...others,
      ...{ kid: '', clientId: null, externalAuthUrl: null, scopes: null, targetToken: 'ACCESS', audience: null },
      ...{ claimsProperty: '/sub', useExternalId: false, enrollNameClaimsSelector: '/sub' },
      updatedAt: expect.any(String),
    });
    await addSigner(server, token, { kid: '' });
  });

  it('are replaced whole by PUT, which alone changes a JWKS into a certificate and back', async () => {
    const ca = createTestCa();
    const id = await addSigner(server, token, { kid: 'old', targetToken: 'ID', scopes: ['a'], useExternalId: true });
    const before = await read(id);
    const body = signerBody({ certPem: ca.certPem, jwksEndpoint: null, targetToken: null });
    const put = await change('PUT', id, body);
    expect([put.status, put.body]).toEqual([200, empty]);
    expect(await read(id)).toMatchObject({
      ...{ id, createdAt: before.createdAt, name: body.name, issuer: body.issuer, kid: null, scopes: null },
      ...{ useExternalId: false, targetToken: 'ACCESS', jwksEndpoint: null, fingerprint: ca.fingerprint },
    });
    const switching = await change('PATCH', id, { jwksEndpoint: 'https://keys.example.com/jwks', certPem: null });
    expect([switching.status, switching.body.error.code]).toEqual([400, 'INVALID_FIELD']);
    expect((await change('PUT', id, signerBody())).status).toBe(200);
    expect(await read(id)).toMatchObject(withoutCertificate);
    for (const missing of ['name', 'enabled', 'issuer', 'audience']) {
      const answer = await change('PUT', id, signerBody({ [missing]: undefined }));
      expect([answer.status, answer.body.error.cause.field], missing).toEqual([400, missing]);
    }
  });

  it('are listed, filtered and sorted by the symbols of the wire, and no others', async () => {
    const ca = createTestCa('listed');
    const tags = { list: 'this' };
    const first = await addSigner(server, token, {
      ...{ name: 'list a', tags, certPem: ca.certPem, jwksEndpoint: null, kid: 'listed', audience: 'aud a' },
      ...{ claimsProperty: '/a', useExternalId: true, clientId: 'id a', scopes: ['openid'], targetToken: 'ID' },
      ...{ externalAuthUrl: 'https://a.example.com', enrollToCertEnabled: true, enrollNameClaimsSelector: '/n' },
      ...{ enrollAttributeClaimsSelector: '/r', issuer: 'https://listed.example.com' },
    });
    const second = await addSigner(server, token, { name: 'list b', tags, enabled: false });
    const list = (filter: string, sort = 'name') => {
      const query = new URLSearchParams({ filter: `tags.list = "this" and ${filter}`, sort });
      return server.wire('GET', `${signersPath}?${query}`, { token });
    };
    const ids = async (filter: string, sort?: string) => {
      const answer = await list(filter, sort);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data.map(({ id }: { id: string }) => id);
    };
    expect(await ids('true')).toEqual([first, second]);
    expect(await ids('true', 'enabled, name desc')).toEqual([second, first]);
    for (const filter of [
      ...['kid = "listed"', 'issuer = "https://listed.example.com"', 'commonName = "listed"', 'enabled = true'],
      ...[`fingerprint = "${ca.fingerprint}"`, 'certPem != null', 'audience = "aud a"', 'claimsProperty = "/a"'],
      ...['useExternalId = true', 'clientId = "id a"', 'scopes contains "openid"', 'targetToken = "ID"'],
      ...['enrollToCertEnabled = true', 'enrollNameClaimsSelector = "/n"', 'enrollAttributeClaimsSelector = "/r"'],
      ...['externalAuthUrl contains "a.example"', 'notBefore > datetime(1999-01-01T00:00:00Z)'],
      'notAfter > datetime(1999-01-01T00:00:00Z)',
    ]) {
      expect(await ids(filter), filter).toEqual([first]);
    }
    expect(await ids('enrollAuthPolicyId = "default" and enrollToTokenEnabled = false and isSystem = false')).toEqual([
      first,
      second,
    ]);
    for (const filter of ['jwksEndpoint = "x"', 'authVersion = 0']) {
      const answer = await list(filter);
      expect([answer.status, answer.body.error.code], filter).toEqual([400, 'INVALID_FILTER']);
    }
  });
});
