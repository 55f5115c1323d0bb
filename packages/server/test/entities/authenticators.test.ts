import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { useSlowHashes } from '../support/hash-cost.ts';
import { sql } from '../support/sql.ts';

const management = '/edge/management/v1';
const authenticators = `${management}/authenticators`;
const ownAuthenticators = '/edge/client/v1/current-identity/authenticators';
const current = '/edge/client/v1/current-api-session';
const empty = { data: {}, meta: {} };
const password = 'a new password';

async function addIdentity(server: TestController, token: string, name: string, members: object = {}): Promise<string> {
  const body = { name, type: 'User', isAdmin: false, ...members };
  const created = await server.wire('POST', `${management}/identities`, { token, body });
  expect(created.status, created.text).toBe(201);
  return created.body.data.id;
}

async function updbOf(server: TestController, token: string, identityId: string) {
  const answer = await server.wire('GET', `${management}/identities/${identityId}`, { token });
  return answer.body.data.authenticators.updb;
}

/** A user with a session and the id of the authenticator. */
async function signedInUser(server: TestController) {
  const token = await server.signIn();
  const user = await server.addUser(token);
  return { token, user, own: await server.signIn(user), id: (await updbOf(server, token, user.id)).id };
}

const signIn = async (server: TestController, username: string, given: string) =>
  (await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: { username, password: given } }))
    .status;

const isAlive = async (server: TestController, token: string) =>
  (await server.wire('GET', current, { token })).status === 200;

describe.each(storePairs)('authenticators on $stores', ({ open }) => {
  it('are made by an administrator, sign in at once and show no secret', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const identityId = await addIdentity(server, token, 'somebody');
    const body = { method: 'updb', identityId, username: 'somebody', password, tags: { a: 1 }, passwordHash: 'x' };
    const created = await server.wire('POST', authenticators, { token, body });
    expect(created.status, created.text).toBe(201);
    const { id } = created.body.data;
    expect(created.body.data).toEqual({ _links: { self: { href: `./authenticators/${id}` } }, id });
    const detail = await server.wire('GET', `${authenticators}/${id}`, { token });
    expect(detail.body.data).toMatchObject({ method: 'updb', identityId, username: 'somebody', tags: { a: 1 } });
    expect(detail.text).not.toContain('argon2');
    expect(await signIn(server, 'somebody', password)).toBe(200);
    const listed = await server.wire('GET', `${management}/identities/${identityId}/authenticators`, { token });
    expect(listed.body.data).toEqual([detail.body.data]);
    expect(listed.body.meta.pagination).toEqual({ limit: 10, offset: 0, totalCount: 1 });
    const unknown = await server.wire('GET', `${management}/identities/nobody/authenticators`, { token });
    expect([unknown.status, unknown.body.data]).toEqual([200, []]);
  });

  it('are refused in the order of the wire', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const identityId = await addIdentity(server, token, 'somebody');
    const taken = await addIdentity(server, token, 'with one');
    const good = { method: 'updb', identityId, username: 'somebody', password };
    const first = await server.wire('POST', authenticators, {
      token,
      body: { ...good, identityId: taken, username: 'with-one' },
    });
    expect(first.status).toBe(201);
    const cases = [
      [{ ...good, method: undefined }, 400, 'COULD_NOT_VALIDATE', 'method'],
      [{ ...good, identityId: null }, 400, 'COULD_NOT_VALIDATE', 'identityId'],
      [{ ...good, method: 'ott', username: '' }, 400, 'COULD_NOT_VALIDATE', 'method'],
      [{ ...good, username: '', password: '' }, 400, 'COULD_NOT_VALIDATE', 'username'],
      [{ ...good, username: null }, 400, 'COULD_NOT_VALIDATE', 'username'],
      [{ ...good, username: 'abc' }, 400, 'COULD_NOT_VALIDATE', 'username'],
      [{ ...good, username: 'x'.repeat(101) }, 400, 'COULD_NOT_VALIDATE', 'username'],
      [{ ...good, password: undefined, identityId: 'nobody' }, 400, 'COULD_NOT_VALIDATE', 'password'],
      [{ ...good, password: 'secret7' }, 400, 'COULD_NOT_VALIDATE', 'password'],
      [{ ...good, password: 'secret7'.repeat(20) }, 400, 'COULD_NOT_VALIDATE', 'password'],
      [{ method: 'cert', identityId }, 400, 'COULD_NOT_VALIDATE', 'certPem'],
      [{ method: 'cert', identityId, certPem: 'pem' }, 400, 'COULD_NOT_PARSE_PEM_BLOCK', undefined],
      [{ ...good, identityId: taken, username: 'with-one' }, 409, 'MAX_AUTHENTICATOR_METHODS_REACHED', undefined],
      [{ ...good, identityId: 'nobody' }, 404, 'NOT_FOUND', undefined],
      [{ ...good, username: 'with-one' }, 400, 'COULD_NOT_VALIDATE', 'updbUsername'],
      [{ ...good, tags: { deep: {} } }, 400, 'COULD_NOT_VALIDATE', 'tags.deep'],
    ] as const;
    for (const [body, status, code, field] of cases) {
      const answer = await server.wire('POST', authenticators, { token, body });
      const { error } = answer.body;
      expect([answer.status, error?.code, error?.cause?.field], JSON.stringify(body)).toEqual([status, code, field]);
      expect(answer.text).not.toContain('secret7');
    }
    expect(await updbOf(server, token, identityId)).toBeUndefined();
  });

  it('of method updb are one per identity, however many are made at once', async () => {
    useSlowHashes();
    await using server = await startController({ ...(await open()), hashConcurrency: 16 });
    const token = await server.signIn();
    const identityId = await addIdentity(server, token, 'popular', { enrollment: { updb: 'enrolled' } });
    const detail = await server.wire('GET', `${management}/identities/${identityId}`, { token });
    const enrollment = detail.body.data.enrollment.updb;
    const answers = await Promise.all([
      server.wire('POST', `/edge/client/v1/enroll?token=${enrollment.token}`, { body: { password } }),
      ...Array.from({ length: 24 }, (_, at) =>
        server.wire('POST', authenticators, {
          token,
          body: { method: 'updb', identityId, username: `popular-${at}`, password },
        }),
      ),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    for (const { body } of answers.filter(({ status }) => status > 300)) {
      expect(body.error.code).toBe('MAX_AUTHENTICATOR_METHODS_REACHED');
    }
    const listed = await server.wire('GET', `${management}/identities/${identityId}/authenticators`, { token });
    expect(listed.body.data).toHaveLength(1);
  });

  it('are patched one member at a time; the other one keeps working', async () => {
    await using server = await startController(await open());
    const { token, user, own, id } = await signedInUser(server);
    const patch = (body: object) => server.wire('PATCH', `${authenticators}/${id}`, { token, body });
    const renamed = await patch({ username: 'renamed', password: null, tags: { a: 1 } });
    expect([renamed.status, renamed.body]).toEqual([200, empty]);
    expect(await signIn(server, user.username, user.password)).toBe(401);
    expect(await signIn(server, 'renamed', user.password)).toBe(200);
    expect(await isAlive(server, own)).toBe(true);
    expect((await patch({ password })).status).toBe(200);
    expect(await signIn(server, 'renamed', user.password)).toBe(401);
    expect(await signIn(server, 'renamed', password)).toBe(200);
    expect((await patch({})).status).toBe(200);
    const taken = await patch({ username: adminCredentials.username });
    expect([taken.status, taken.body.error.code, taken.body.error.cause.field]).toEqual([
      400,
      'COULD_NOT_VALIDATE',
      'username',
    ]);
    const detail = await server.wire('GET', `${authenticators}/${id}`, { token });
    expect(detail.body.data).toMatchObject({ username: 'renamed', tags: { a: 1 } });
    expect((await server.wire('PATCH', `${authenticators}/nothing`, { token, body: {} })).status).toBe(404);
  });

  it('with a password set by an administrator end the sessions of the identity, but not the own one', async () => {
    await using server = await startController(await open());
    const { token, user, own, id } = await signedInUser(server);
    const events: object[] = [];
    server.controller.events.on('password.changed', (event) => events.push(event));
    const put = (path: string, body: object) => server.wire('PUT', `${authenticators}/${path}`, { token, body });
    expect((await put(id, { username: user.username })).status).toBe(400);
    expect((await put('nothing', { username: user.username, password })).status).toBe(404);
    const changed = await put(id, { username: user.username, password });
    expect([changed.status, changed.body]).toEqual([200, empty]);
    expect(await isAlive(server, own)).toBe(false);
    expect(await signIn(server, user.username, user.password)).toBe(401);
    expect(await signIn(server, user.username, password)).toBe(200);
    expect(events).toEqual([{ identityId: user.id, authenticatorId: id, by: 'administrator' }]);

    const admin = (await server.wire('GET', current, { token })).body.data;
    const other = await server.signIn();
    await put(admin.authenticatorId, { username: adminCredentials.username, password });
    expect([await isAlive(server, token), await isAlive(server, other)]).toEqual([true, false]);
  });

  it('end the sessions made with them when they are deleted, and free the user name', async () => {
    await using server = await startController(await open());
    const { token, user, own, id } = await signedInUser(server);
    const deleted = await server.wire('DELETE', `${authenticators}/${id}`, { token });
    expect([deleted.status, deleted.body]).toEqual([200, empty]);
    expect(await isAlive(server, own)).toBe(false);
    expect(await isAlive(server, token)).toBe(true);
    expect(await signIn(server, user.username, user.password)).toBe(401);
    expect((await server.wire('DELETE', `${authenticators}/${id}`, { token })).status).toBe(404);
    const body = { method: 'updb', identityId: user.id, username: user.username, password };
    expect((await server.wire('POST', authenticators, { token, body })).status).toBe(201);
    expect(await signIn(server, user.username, password)).toBe(200);
  });
});

describe.each(storePairs)('own authenticators on $stores', ({ open }) => {
  it('are listed and read; those of others do not exist', async () => {
    await using server = await startController(await open());
    const { token, user, own, id } = await signedInUser(server);
    const foreign = (await server.wire('GET', current, { token })).body.data.authenticatorId;
    const listed = await server.wire('GET', ownAuthenticators, { token: own });
    expect(listed.body.data).toHaveLength(1);
    const [detail] = listed.body.data;
    expect(detail).toMatchObject({ id, method: 'updb', identityId: user.id, username: user.username });
    expect(detail._links).toEqual({ self: { href: `./current-identity/authenticators/${id}` } });
    expect((await server.wire('GET', `${ownAuthenticators}/${id}`, { token: own })).body.data).toEqual(detail);
    const body = { username: 'somebody', password, currentPassword: user.password };
    for (const method of ['GET', 'PUT', 'PATCH']) {
      for (const other of [foreign, 'nothing']) {
        const request = { token: own, ...(method === 'GET' ? {} : { body }) };
        const answer = await server.wire(method, `${ownAuthenticators}/${other}`, request);
        expect([answer.status, answer.body.error.code], `${method} ${other}`).toEqual([404, 'NOT_FOUND']);
      }
    }
    expect((await server.wire('POST', ownAuthenticators, { token: own, body })).status).toBe(405);
    expect((await server.wire('DELETE', `${ownAuthenticators}/${id}`, { token: own })).status).toBe(405);
  });

  it('are changed with the current password; the session goes on', async () => {
    await using server = await startController(await open());
    const { user, own, id } = await signedInUser(server);
    const other = await server.signIn(user);
    const events: object[] = [];
    server.controller.events.on('password.changed', (event) => events.push(event));
    const send = (method: string, body: object) =>
      server.wire(method, `${ownAuthenticators}/${id}`, { token: own, body });
    const { username } = user;
    for (const body of [
      { username, password },
      { username, password, currentPassword: '1234' },
    ]) {
      const refused = await send('PUT', body);
      expect([refused.status, refused.body.error.cause.field]).toEqual([400, 'currentPassword']);
      expect(refused.text).not.toContain('1234"');
    }
    const guess = 'this is not the one';
    const wrong = await send('PUT', { username, password, currentPassword: guess });
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(wrong.body.error.cause).toEqual({ field: 'currentPassword', reason: 'invalid current password' });
    expect(wrong.text).not.toContain(guess);
    expect(await isAlive(server, own)).toBe(true);

    const currentPassword = user.password;
    expect((await send('PATCH', { currentPassword })).body).toEqual(empty);
    expect((await send('PATCH', { currentPassword, username: 'renamed', password: null })).status).toBe(200);
    expect(await signIn(server, 'renamed', currentPassword)).toBe(200);
    const taken = await send('PATCH', { currentPassword, username: adminCredentials.username });
    expect([taken.status, taken.body.error.cause.field]).toEqual([400, 'username']);
    expect(events).toEqual([]);
    expect((await send('PUT', { currentPassword, username: 'renamed', password })).body).toEqual(empty);
    expect(events).toEqual([{ identityId: user.id, authenticatorId: id, by: 'owner' }]);
    expect(await signIn(server, 'renamed', currentPassword)).toBe(401);
    expect(await signIn(server, 'renamed', password)).toBe(200);
    expect([await isAlive(server, own), await isAlive(server, other)]).toEqual([true, true]);
    expect((await send('PATCH', { currentPassword: password, endOtherSessions: true })).status).toBe(200);
    expect([await isAlive(server, own), await isAlive(server, other)]).toEqual([true, false]);
  });

  it('are tried as seldom as sign-ins are', async () => {
    const options = { ...(await open()), dataDir: mkdtempSync(join(tmpdir(), 'edge-authenticators-')) };
    const first = await startController(options);
    const { id, own } = await signedInUser(first);
    await first.controller.close();
    await using server = await startController({ ...options, signInRate: 1, signInBurst: 3 });
    const guess = { token: own, body: { currentPassword: 'not the password' } };
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      statuses.push((await server.wire('PATCH', `${ownAuthenticators}/${id}`, guess)).status);
    }
    expect(statuses.slice(0, 3)).toEqual([401, 401, 401]);
    expect(statuses).toContain(429);
    rmSync(options.dataDir, { recursive: true, force: true });
  });

  it('have one winner when several passwords are set at once', async () => {
    useSlowHashes();
    await using server = await startController(await open());
    const { user, own, id } = await signedInUser(server);
    const passwords = Array.from({ length: 8 }, (_, at) => `one of several ${at}`);
    const answers = await Promise.all(
      passwords.map((each) =>
        server.wire('PATCH', `${ownAuthenticators}/${id}`, {
          token: own,
          body: { password: each, currentPassword: user.password },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? '';
    expect(await signIn(server, user.username, winner)).toBe(200);
  });

  it('of method cert are not changed this way', async () => {
    await using server = await startController(await open());
    const { user, own } = await signedInUser(server);
    const now = new Date().toISOString();
    await sql(
      server,
      `insert into authenticators ("id", "createdAt", "updatedAt", "tags", "identityId", "method")
       values ('of-a-cert', '${now}', '${now}', '{}', '${user.id}', 'cert')`,
    );
    const body = { password, currentPassword: 'whatever it is' };
    const answer = await server.wire('PATCH', `${ownAuthenticators}/of-a-cert`, { token: own, body });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'CAN_NOT_UPDATE_AUTHENTICATOR']);
  });

  it('belong to the current identity, which is shown with its own links', async () => {
    await using server = await startController(await open());
    const { token, user, own } = await signedInUser(server);
    const shown = await server.wire('GET', '/edge/client/v1/current-identity', { token: own });
    const { _links: links, ...detail } = shown.body.data;
    expect(links).toEqual({ self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } });
    const managed = await server.wire('GET', `${management}/identities/${user.id}`, { token });
    const { _links: _, ...same } = managed.body.data;
    expect(detail).toEqual(same);
  });
});

describe.each(storePairs)('password rules on $stores', ({ open }) => {
  it('of the current policy apply wherever a password is set', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const { updb } = policyRules.primary;
    const primary = { ...policyRules.primary, updb: { ...updb, requireNumberChar: true } };
    const authPolicyId = await addPolicy(server, token, { name: 'strict', primary });
    const user = await addUserUnder(server, token, { authPolicyId });
    const own = await server.signIn(user);
    const { id } = await updbOf(server, token, user.id);
    const identityId = await addIdentity(server, token, 'new one', { authPolicyId, enrollment: { updb: 'new-one' } });
    const pending = await server.wire('GET', `${management}/identities/${identityId}`, { token });
    const enrollPath = `/edge/client/v1/enroll?token=${pending.body.data.enrollment.updb.token}`;
    const { username, password: currentPassword } = user;
    const places = [
      ['POST', enrollPath, undefined, {}],
      ['POST', authenticators, token, { method: 'updb', identityId, username: 'new-one' }],
      ['PUT', `${authenticators}/${id}`, token, { username }],
      ['PATCH', `${authenticators}/${id}`, token, {}],
      ['PUT', `${ownAuthenticators}/${id}`, own, { username, currentPassword }],
      ['PATCH', `${ownAuthenticators}/${id}`, own, { currentPassword }],
    ] as const;
    const weak = [
      ['Short-1', 'minPasswordLength'],
      ['Long-enough-but', 'requireNumberChar'],
      ['Long3enough4but', 'requireSpecialChar'],
      ['long-3nough-but', 'requireMixedCase'],
    ] as const;
    for (const [method, path, as, members] of places) {
      for (const [given, rule] of weak) {
        const request = { ...(as ? { token: as } : {}), body: { ...members, password: given } };
        const answer = await server.wire(method, path, request);
        const what = `${method} ${path} with ${given}`;
        expect([answer.status, answer.body.error.code], what).toEqual([400, 'COULD_NOT_VALIDATE']);
        const { field, reason, ...rest } = answer.body.error.cause;
        expect([field, rest], what).toEqual(['password', {}]);
        expect(reason, what).toContain(rule);
        expect(answer.text, what).not.toContain(given);
      }
    }
    expect(await signIn(server, username, currentPassword)).toBe(200);
    const good = 'Long-3nough-at-last';
    expect((await server.wire('POST', enrollPath, { body: { password: good } })).status).toBe(200);
    const change = { password: good, currentPassword };
    const changed = await server.wire('PATCH', `${ownAuthenticators}/${id}`, { token: own, body: change });
    expect(changed.status).toBe(200);
    expect(await signIn(server, username, good)).toBe(200);
  });
});

describe.each(storePairs)('reset of the administrator on $stores', ({ open }) => {
  it('opens the door whatever closed it', async () => {
    await using server = await startController({ ...(await open()), adminPassword: adminCredentials.password });
    const token = await server.signIn();
    const { identityId } = (await server.wire('GET', current, { token })).body.data;
    const identity = `${management}/identities/${identityId}`;
    const { primary } = policyRules;
    const forbidding = { ...primary, updb: { ...primary.updb, allowed: false } };
    const authPolicyId = await addPolicy(server, token, { name: 'no passwords', primary: forbidding });
    const allowed = '"updb":{"allowed":true';
    const byPolicy = `replace("primary", '${allowed}', '${allowed.replace('true', 'false')}')`;
    const now = new Date().toISOString();
    const closing: (() => Promise<unknown>)[] = [
      () => sql(server, `update passwords set "failedAttempts" = 3`),
      () => sql(server, `update "authPolicies" set "primary" = ${byPolicy} where "id" = 'default'`),
      () => sql(server, `update identities set "authPolicyId" = '${authPolicyId}', "disabledAt" = '${now}'`),
      () =>
        sql(
          server,
          `insert into mfas ("id", "createdAt", "updatedAt", "tags", "identityId", "isVerified", "sealedSecret",
             "sealedRecoveryCodes", "attempts", "sessionId")
           values ('mfa', '${now}', '${now}', '{}', '${identityId}', 1, '', '', 0, '')`,
        ),
    ];
    for (const close of closing) await close();
    const stored = await sql(server, `select "primary" from "authPolicies" where "id" = 'default'`);
    expect(JSON.parse(String(stored[0]?.primary)).updb.allowed).toBe(false);
    expect(await signIn(server, adminCredentials.username, adminCredentials.password)).toBe(401);
    expect(await server.controller.resetAdminPassword()).toMatchObject({ username: adminCredentials.username });
    const again = await server.signIn();
    const detail = (await server.wire('GET', identity, { token: again })).body.data;
    expect(detail).toMatchObject({ authPolicyId: 'default', disabled: false, isMfaEnabled: false });
    const policy = await server.wire('GET', `${management}/auth-policies/default`, { token: again });
    expect(policy.body.data.primary.updb.allowed).toBe(true);
    const [row] = await sql(server, 'select "failedAttempts" from passwords');
    expect(row).toEqual({ failedAttempts: 0 });
  });
});
