import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { addSigner } from '../support/external-jwt-signers.ts';

type Body = Record<string, unknown>;

/** An administrator besides the default one. */
interface Admin {
  readonly id: string;
  readonly token: string;
}

const strict = { updb: { maxAttempts: 2, lockoutDurationMinutes: 0 } };
const noPasswords = { primary: { updb: { allowed: false } } };
const forbidden = (field: string) => ({
  status: 409,
  body: { error: { code: 'LAST_ADMINISTRATOR', cause: expect.objectContaining({ field }) } },
});

describe.each(storePairs)('the last administrator on $stores', ({ open }) => {
  const start = async () => startController(await open());
  const manage = (server: TestController, token: string, method: string, path: string, body?: Body) =>
    server.wire(method, `/edge/management/v1/${path}`, { token, ...(body ? { body } : {}) });

  async function addAdmin(server: TestController, token: string): Promise<Admin> {
    const { id, username, password } = await server.addUser(token, { isAdmin: true });
    return { id, token: await server.signIn({ username, password }) };
  }

  async function defaultAdminId(server: TestController, token: string): Promise<string> {
    const found = await manage(server, token, 'GET', 'identities?filter=isDefaultAdmin=true');
    return found.body.data[0].id;
  }

  async function authenticatorId(server: TestController, token: string, identityId: string): Promise<string> {
    const found = await manage(server, token, 'GET', `identities/${identityId}/authenticators`);
    return found.body.data[0].id;
  }

  async function addPolicy(server: TestController, token: string, primary: Body = {}): Promise<string> {
    const updb = {
      ...{ allowed: true, minPasswordLength: 5, requireSpecialChar: false, requireNumberChar: false },
      ...{ requireMixedCase: false, maxAttempts: 0, lockoutDurationMinutes: 0, ...(primary.updb as Body) },
    };
    const rules = { cert: { allowed: true, allowExpiredCerts: true }, extJwt: { allowed: false, allowedSigners: [] } };
    const body = {
      name: `policy ${Math.random()}`,
      primary: { ...rules, updb },
      secondary: { requireTotp: false },
    };
    return (await manage(server, token, 'POST', 'auth-policies', body)).body.data.id;
  }

  /** A server whose only administrator who can administer is `last`. */
  async function withLast(server: TestController): Promise<Admin> {
    const root = await server.signIn();
    const last = await addAdmin(server, root);
    const id = await defaultAdminId(server, last.token);
    const disabled = await manage(server, last.token, 'POST', `identities/${id}/disable`, { durationMinutes: 0 });
    expect(disabled.status).toBe(200);
    return last;
  }

  it('is not deleted, disabled or demoted, and keeps its password and a policy that allows it', async () => {
    await using server = await start();
    const last = await withLast(server);
    const path = `identities/${last.id}`;
    const policyId = await addPolicy(server, last.token, { updb: { allowed: false } });
    const put = { name: 'last', type: 'User', isAdmin: false };
    const attempts: [string, string, string, Body?][] = [
      ['id', 'DELETE', path],
      ['id', 'POST', `${path}/disable`, { durationMinutes: 0 }],
      ['id', 'POST', `${path}/disable`, { durationMinutes: 1 }],
      ['isAdmin', 'PATCH', path, { isAdmin: false }],
      ['isAdmin', 'PUT', path, put],
      ['authPolicyId', 'PATCH', path, { authPolicyId: policyId }],
      ['authPolicyId', 'PUT', path, { ...put, isAdmin: true, authPolicyId: policyId }],
      ['primary.updb.allowed', 'PATCH', 'auth-policies/default', noPasswords],
      ['id', 'DELETE', `authenticators/${await authenticatorId(server, last.token, last.id)}`],
    ];
    for (const [field, method, target, body] of attempts) {
      expect(await manage(server, last.token, method, target, body), `${method} ${target}`).toMatchObject(
        forbidden(field),
      );
    }
    const self = await manage(server, last.token, 'GET', path);
    expect(self.body.data).toMatchObject({ isAdmin: true, disabled: false, authPolicyId: 'default' });
    const renamed = await manage(server, last.token, 'PATCH', path, { name: 'renamed', isAdmin: true });
    expect(renamed.status).toBe(200);
  });

  it('is any administrator that is enabled and may sign in; all others may be changed', async () => {
    await using server = await start();
    const root = await server.signIn();
    const id = await defaultAdminId(server, root);
    const withoutPassword = { name: 'no password', type: 'User', isAdmin: true };
    expect((await manage(server, root, 'POST', 'identities', withoutPassword)).status).toBe(201);
    const locked = await addAdmin(server, root);
    const disabled = await manage(server, root, 'POST', `identities/${locked.id}/disable`, { durationMinutes: 5 });
    expect(disabled.status).toBe(200);
    const other = await addAdmin(server, root);
    const policyId = await addPolicy(server, root, { updb: { allowed: false } });
    const moved = await manage(server, root, 'PATCH', `identities/${other.id}`, { authPolicyId: policyId });
    expect(moved.status).toBe(200);

    const disable = () => manage(server, root, 'POST', `identities/${id}/disable`, { durationMinutes: 0 });
    expect(await disable()).toMatchObject(forbidden('id'));
    const allowed = await manage(server, root, 'PATCH', `auth-policies/${policyId}`, {
      primary: { updb: { allowed: true } },
    });
    expect(allowed.status).toBe(200);
    expect((await disable()).status).toBe(200);
    expect((await manage(server, other.token, 'DELETE', `identities/${locked.id}`)).status).toBe(200);
    expect(await manage(server, other.token, 'PATCH', `auth-policies/${policyId}`, noPasswords)).toMatchObject(
      forbidden('primary.updb.allowed'),
    );
    expect(await manage(server, other.token, 'DELETE', `identities/${id}`)).toMatchObject({
      body: { error: { code: 'ENTITY_CAN_NOT_BE_DELETED' } },
    });
  });

  it('needs no JWT of a signer: nobody counts who does, or who has nothing else', async () => {
    await using server = await start();
    const last = await withLast(server);
    const signer = await addSigner(server, last.token);
    const requiresJwt = { secondary: { requireExtJwtSigner: signer } };
    const allowsJwt = { primary: { extJwt: { allowed: true } } };
    const change = (path: string, body: Body) => manage(server, last.token, 'PATCH', path, body);
    const refused = await change('auth-policies/default', requiresJwt);
    expect(refused).toMatchObject(forbidden('secondary.requireExtJwtSigner'));
    expect(refused.body.error.cause.value).toBe(signer);

    // Another administrator has a password, under a policy that requires a JWT beside it.
    const other = await addAdmin(server, last.token);
    const policyId = await addPolicy(server, last.token);
    expect((await change(`auth-policies/${policyId}`, requiresJwt)).status).toBe(200);
    expect((await change(`identities/${other.id}`, { authPolicyId: policyId })).status).toBe(200);
    expect(await change(`identities/${last.id}`, { authPolicyId: policyId })).toMatchObject(forbidden('authPolicyId'));
    expect(await change(`identities/${last.id}`, { isAdmin: false })).toMatchObject(forbidden('isAdmin'));
    // A third one has nothing but its external id, and a policy that allows JWTs.
    const third = { name: 'by JWT', type: 'User', isAdmin: true, externalId: 'somebody' };
    expect((await manage(server, last.token, 'POST', 'identities', third)).status).toBe(201);
    expect((await change('auth-policies/default', allowsJwt)).status).toBe(200);
    expect(await change('auth-policies/default', noPasswords)).toMatchObject(forbidden('primary.updb.allowed'));
    expect(await change('auth-policies/default', requiresJwt)).toMatchObject(
      forbidden('secondary.requireExtJwtSigner'),
    );
    expect((await change(`auth-policies/${policyId}`, { secondary: { requireExtJwtSigner: '' } })).status).toBe(200);
    expect((await change('auth-policies/default', requiresJwt)).status).toBe(200);
  });

  it('remains when two administrators take it from each other at the same time', async () => {
    await using server = await start();
    const changes: ((from: Admin, to: Admin) => Promise<{ status: number }>)[] = [
      (from, to) => manage(server, from.token, 'PATCH', `identities/${to.id}`, { isAdmin: false }),
      (from, to) => manage(server, from.token, 'DELETE', `identities/${to.id}`),
      (from, to) => manage(server, from.token, 'POST', `identities/${to.id}/disable`, { durationMinutes: 0 }),
      async (from, to) =>
        manage(server, from.token, 'DELETE', `authenticators/${await authenticatorId(server, from.token, to.id)}`),
    ];
    let [one, two] = [await withLast(server), undefined as Admin | undefined];
    for (const round of changes.flatMap((change) => [change, change, change])) {
      two = await addAdmin(server, one.token);
      const [first, second] = await Promise.all([round(one, two), round(two, one)]);
      // The second one is refused, or comes when its session has ended.
      const statuses = [first.status, second.status].sort();
      expect(statuses[0]).toBe(200);
      expect([401, 409]).toContain(statuses[1]);
      const winner: Admin = first.status === 200 ? one : two;
      expect((await manage(server, winner.token, 'GET', 'identities?limit=1')).status).toBe(200);
      one = winner;
    }
  });

  it('is locked for an hour at most by wrong passwords of anybody', async () => {
    await using server = await start();
    const root = await server.signIn();
    const id = await defaultAdminId(server, root);
    const other = await server.addUser(root, { isAdmin: true });
    const policyId = await addPolicy(server, root, strict);
    for (const each of [id, other.id]) {
      expect((await manage(server, root, 'PATCH', `identities/${each}`, { authPolicyId: policyId })).status).toBe(200);
    }
    const fail = async (username: string) => {
      for (let attempt = 0; attempt < 2; attempt++) {
        const body = { username, password: 'a wrong password' };
        const refused = await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body });
        expect(refused.status).toBe(401);
      }
    };
    const locks: { identityId: string; until: string | null }[] = [];
    server.controller.events.on('identity.locked', (lock) => locks.push(lock));
    const before = Date.now();
    await fail(other.username);
    await fail(adminCredentials.username);
    expect(locks).toMatchObject([
      { identityId: other.id, until: null },
      { identityId: id, until: expect.any(String) },
    ]);
    const duration = Date.parse(locks[1]?.until ?? '') - before;
    expect(duration).toBeGreaterThan(55 * 60_000);
    expect(duration).toBeLessThan(65 * 60_000);
  });
});
