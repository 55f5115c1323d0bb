import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, authPolicies, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { signerBody, signersPath } from '../support/external-jwt-signers.ts';

const identities = '/edge/management/v1/identities';
const signIn = '/edge/client/v1/authenticate?method=password';
const empty = { data: {}, meta: {} };
const { cert, extJwt, updb } = policyRules.primary;

describe.each(storePairs)('bodies on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const send = (method: string, path: string, body: unknown) =>
    server.wire(method, path, { token, ...(typeof body === 'string' ? { raw: body } : { body }) });
  const read = async (path: string, id: string) => (await server.wire('GET', `${path}/${id}`, { token })).body.data;

  describe('names of members', () => {
    it('may have another case, at every depth, in every verb', async () => {
      const { username, password } = adminCredentials;
      const signedIn = await send('POST', signIn, { Username: username, PASSWORD: password, EnvInfo: { OS: 'Linux' } });
      expect(signedIn.status).toBe(200);
      expect((await read(identities, signedIn.body.data.identityId)).envInfo).toEqual({ os: 'Linux' });

      const enrollment = { UPDB: 'somebody else' };
      const created = await send('POST', identities, { NAME: 'other', Type: 'User', isadmin: false, enrollment });
      expect(created.status, created.text).toBe(201);
      const { id } = created.body.data;
      expect(await read(identities, id)).toMatchObject({
        name: 'other',
        enrollment: { updb: { id: expect.anything() } },
      });
      const body = { Name: 'replaced', type: 'User', IsAdmin: false, RoleAttributes: ['a'] };
      expect((await send('PUT', `${identities}/${id}`, body)).status).toBe(200);
      expect((await send('PATCH', `${identities}/${id}`, { ExternalID: 'e-1' })).status).toBe(200);
      expect(await read(identities, id)).toMatchObject({ name: 'replaced', roleAttributes: ['a'], externalId: 'e-1' });
    });

    it('are the same when they differ in case only: the last one counts', async () => {
      const raw = '{"Name":"first","name":"second","NAME":"third","type":"User","isAdmin":true,"isadmin":false}';
      const created = await send('POST', identities, raw);
      expect(await read(identities, created.body.data.id)).toMatchObject({ name: 'third', isAdmin: false });
    });

    it('of tags and application data are kept as they are', async () => {
      const free = { Name: 1, name: 2, Tags: { a: null } };
      const tags = { Name: 'a', name: 'b' };
      const body = { name: 'free names', type: 'User', isAdmin: false, tags, AppData: free };
      const created = await send('POST', identities, body);
      expect(await read(identities, created.body.data.id)).toMatchObject({ tags, appData: free });
    });

    it('are reported as the schema has them, and a secret is never repeated', async () => {
      const short = await send('POST', signIn, { Username: 'admin', PassWord: 'abcd' });
      expect([short.status, short.body.error.cause.field]).toEqual([400, 'password']);
      expect(short.text).not.toContain('abcd');
    });
  });

  describe('numbers', () => {
    it.each(['15.0', '1.5e1', '15'])('that are whole are integers, however they are written: %s', async (text) => {
      const id = await addPolicy(server, token, { name: `whole ${text}` });
      const patched = await send(
        'PATCH',
        `${authPolicies}/${id}`,
        `{"primary":{"updb":{"minPasswordLength":${text}}}}`,
      );
      expect(patched.status, patched.text).toBe(200);
      expect((await read(authPolicies, id)).primary.updb.minPasswordLength).toBe(15);
    });

    it('that are not whole are no integers', async () => {
      const body = { ...policyRules, name: 'halves', primary: { cert, extJwt, updb: { ...updb, maxAttempts: 1.5 } } };
      const refused = await send('POST', authPolicies, body);
      expect([refused.status, refused.body.error.code]).toEqual([400, 'COULD_NOT_PARSE_BODY']);
    });
  });

  it('may begin with a byte order mark', async () => {
    const created = await send('POST', identities, '\uFEFF{"name":"marked","type":"User","isAdmin":false}');
    expect(created.status, created.text).toBe(201);
  });

  describe('of PATCH', () => {
    it('clear tags and application data with an empty object, and keep them with null', async () => {
      const body = { name: 'cleared', type: 'User', isAdmin: false, tags: { a: 1 }, appData: { b: 2 } };
      const { id } = (await send('POST', identities, body)).body.data;
      for (const kept of [{ tags: null, appData: null }, { tags: { a: null } }, {}]) {
        expect((await send('PATCH', `${identities}/${id}`, kept)).body).toEqual(empty);
        expect(await read(identities, id)).toMatchObject({ tags: { a: 1 }, appData: { b: 2 } });
      }
      expect((await send('PATCH', `${identities}/${id}`, { tags: {}, appData: {} })).body).toEqual(empty);
      expect(await read(identities, id)).toMatchObject({ tags: {}, appData: {} });
    });

    it('change nothing with a group that is null or empty', async () => {
      const id = await addPolicy(server, token, { name: 'null groups' });
      const before = await read(authPolicies, id);
      for (const body of [
        { primary: null, secondary: null },
        { primary: {}, secondary: {} },
        { primary: { cert: null, updb: {}, extJwt: { allowed: null, allowedSigners: null } } },
      ]) {
        const patched = await send('PATCH', `${authPolicies}/${id}`, body);
        expect([patched.status, patched.body], JSON.stringify(body)).toEqual([200, empty]);
        const { updatedAt } = await read(authPolicies, id);
        expect(await read(authPolicies, id)).toEqual({ ...before, updatedAt });
      }
    });
  });

  it.each(['primary', 'secondary'])('of POST and PUT need the group %s', async (group) => {
    const id = await addPolicy(server, token, { name: `needs ${group}` });
    for (const value of [null, undefined]) {
      const body = { ...policyRules, name: `without ${group}`, [group]: value };
      for (const [method, path] of [
        ['POST', authPolicies],
        ['PUT', `${authPolicies}/${id}`],
      ] as const) {
        const refused = await send(method, path, body);
        expect([refused.status, refused.body.error.cause.field]).toEqual([400, group]);
      }
    }
  });

  it.each([
    ['minPasswordLength', 100],
    ['maxAttempts', 1_000_000],
    ['lockoutDurationMinutes', 1_000_000],
  ])('of an auth policy have a %s of at most %i', async (name, most) => {
    const rules = (value: number) => ({ primary: { cert, extJwt, updb: { ...updb, [name]: value } } });
    await addPolicy(server, token, { name: `most of ${name}`, ...rules(most) });
    for (const value of [most + 1, 500_000_000]) {
      const refused = await send('POST', authPolicies, { ...policyRules, name: 'too much', ...rules(value) });
      expect([refused.status, refused.body.error.cause.field]).toEqual([400, `primary.updb.${name}`]);
    }
  });

  it('have lists of bounded length', async () => {
    const many = (length: number) => Array.from({ length }, (_, at) => `element ${at}`);
    const allowedSigners = { primary: { cert, updb, extJwt: { ...extJwt, allowedSigners: many(101) } } };
    for (const [path, body, field] of [
      [authPolicies, { ...policyRules, name: 'many', ...allowedSigners }, 'primary.extJwt.allowedSigners'],
      [signersPath, signerBody({ scopes: many(101) }), 'scopes'],
      [signIn, { ...adminCredentials, configTypes: many(65) }, 'configTypes'],
    ] as const) {
      const refused = await send('POST', path, body);
      expect([refused.status, refused.body.error.cause.field]).toEqual([400, field]);
    }
    expect((await send('POST', signersPath, signerBody({ scopes: many(100) }))).status).toBe(201);
    expect((await send('POST', signIn, { ...adminCredentials, configTypes: many(64) })).status).toBe(200);
  });

  it('outside of an enumeration are refused with the names that it has', async () => {
    const refused = await send('POST', signersPath, signerBody({ targetToken: 'OTHER' }));
    expect([refused.status, refused.body.error.cause]).toEqual([
      400,
      { field: 'targetToken', reason: 'targetToken in body should be one of [ACCESS ID]', value: 'OTHER' },
    ]);
    const type = await send('POST', identities, { name: 'typed', type: 'Robot', isAdmin: false });
    expect(type.body.error.cause.reason).toBe('type in body should be one of [User Device Service Router Default]');
  });

  it('of a sign-in may ask for config types: unknown ones are dropped, and `all` stays', async () => {
    for (const [asked, shown] of [
      [['host.v1', 'nothing'], ['NH5p4FpGR']],
      [['host.v1', 'all'], ['all']],
      [null, []],
    ]) {
      const signedIn = await send('POST', signIn, { ...adminCredentials, configTypes: asked });
      expect([signedIn.status, signedIn.body.data.configTypes]).toEqual([200, shown]);
    }
  });

  it('of API sessions are not found by their token', async () => {
    const filter = encodeURIComponent(`token = "${token}"`);
    const refused = await server.wire('GET', `/edge/management/v1/api-sessions?filter=${filter}`, { token });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_FILTER']);
    const sorted = await server.wire('GET', '/edge/management/v1/api-sessions?sort=token', { token });
    expect([sorted.status, sorted.body.error.code]).toEqual([400, 'INVALID_SORT_IDENTIFIER']);
  });
});
