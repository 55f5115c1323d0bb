import { describe, expect, it } from 'vitest';
import type { ControllerEvents, ControllerOptions } from '../../src/index.ts';
import { addPolicy, addUserUnder, authPolicies, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, everyStorePair, startController } from '../support/controller.ts';
import { sql } from '../support/sql.ts';
import { enrollTotp, testTime } from '../support/totp.ts';

type Change = ControllerEvents['entity.updated'];

const management = '/edge/management/v1';
const identities = `${management}/identities`;
const authenticators = `${management}/authenticators`;
const enrollments = `${management}/enrollments`;

/** Collects the changes from now on. `take` returns those since the last call. */
function collect({ controller }: TestController) {
  const all: Change[] = [];
  controller.events.on(['entity.created', 'entity.updated', 'entity.deleted'], (change) => all.push(change));
  let taken = 0;
  return {
    all,
    take() {
      const changes = all.slice(taken);
      taken = all.length;
      return changes;
    },
  };
}

/** What happened to what, by whom. */
const shortly = (changes: readonly Change[]) =>
  changes.map(({ eventType, entityType, entityId, by }) => [eventType, entityType, entityId, by]);

/** The members that differ, before and after. */
function difference({ initialState, finalState }: Change) {
  const [before, after] = [{ ...initialState }, { ...finalState }] as Record<string, unknown>[];
  const names = Object.keys({ ...before, ...after }).filter((name) => name !== 'updatedAt');
  const changed = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]));
  return Object.fromEntries(changed.map((name) => [name, [before?.[name], after?.[name]]]));
}

async function start(options: ControllerOptions) {
  const time = testTime();
  const server = await startController({ ...options, clock: time.clock });
  const token = await server.signIn();
  const { identityId: admin } = (await server.wire('GET', `${management}/current-api-session`, { token })).body.data;
  return { server, token, time, admin: String(admin), changes: collect(server) };
}

const ok = async (server: TestController, ...request: Parameters<TestController['wire']>) => {
  const answer = await server.wire(...request);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body.data;
};

const signInStatus = async (server: TestController, username: string, password: string) =>
  (await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: { username, password } })).status;

describe.each(everyStorePair)('events of changes on $stores', ({ open }) => {
  it('reports each change that an administrator asks for, with the states before and after', async () => {
    const { server, token, admin, changes } = await start(await open());
    await using _ = server;
    const body = { name: 'laptop', type: 'User', isAdmin: false, tags: { team: 'red' }, roleAttributes: ['b', 'a'] };
    const { id } = await ok(server, 'POST', identities, { token, body });
    const [created] = changes.take();
    expect(created).toMatchObject({ eventType: 'created', entityType: 'identity', entityId: id, by: admin });
    expect(created?.initialState).toBeNull();
    expect(created?.finalState).toMatchObject({
      ...{ id, name: 'laptop', isAdmin: false, isDefaultAdmin: false, authPolicyId: 'default', typeId: 'Default' },
      ...{ tags: { team: 'red' }, roleAttributes: ['a', 'b'], externalId: null, disabledAt: null, appData: {} },
    });

    const one = `${identities}/${id}`;
    await ok(server, 'PATCH', one, { token, body: { roleAttributes: ['c'], isAdmin: true } });
    await ok(server, 'PUT', one, { token, body: { name: 'tablet', type: 'User', isAdmin: true } });
    await ok(server, 'POST', `${one}/disable`, { token, body: { durationMinutes: 0 } });
    await ok(server, 'POST', `${one}/enable`, { token });
    await ok(server, 'DELETE', one, { token });
    const rest = changes.take();
    const updated = ['updated', 'identity', id, admin];
    expect(shortly(rest)).toEqual([updated, updated, updated, updated, ['deleted', 'identity', id, admin]]);
    const now = expect.any(String);
    expect(rest.slice(0, 4).map(difference)).toEqual([
      { roleAttributes: [['a', 'b'], ['c']], isAdmin: [false, true] },
      { name: ['laptop', 'tablet'], tags: [{ team: 'red' }, {}], roleAttributes: [['c'], []] },
      { disabledAt: [null, now] },
      { disabledAt: [now, null] },
    ]);
    // Each change begins with the state in which the one before ended.
    const all = [created, ...rest];
    for (const [at, change] of all.slice(1).entries()) expect(change?.initialState).toEqual(all[at]?.finalState);
    expect(rest.at(-1)?.finalState).toBeNull();
  });

  it('reports changes of other entities, groups included', async () => {
    const { server, token, admin, changes } = await start(await open());
    await using _ = server;
    const id = await addPolicy(server, token, { name: 'watched' });
    await ok(server, 'PATCH', `${authPolicies}/${id}`, { token, body: { primary: { updb: { maxAttempts: 9 } } } });
    await ok(server, 'DELETE', `${authPolicies}/${id}`, { token });
    const told = changes.take();
    expect(shortly(told)).toEqual([
      ['created', 'authPolicy', id, admin],
      ['updated', 'authPolicy', id, admin],
      ['deleted', 'authPolicy', id, admin],
    ]);
    expect(told[0]?.finalState).toMatchObject({ name: 'watched', isSystem: false, ...policyRules });
    const updb = { ...policyRules.primary.updb, maxAttempts: 9 };
    expect(difference(told[1] as Change)).toEqual({
      primary: [policyRules.primary, { ...policyRules.primary, updb }],
    });
  });

  it('reports what clients and the controller change: enrollments, credentials, locks', async () => {
    const { server, token, time, admin, changes } = await start(await open());
    await using _ = server;
    const body = { name: 'somebody', type: 'User', isAdmin: false, enrollment: { updb: 'somebody' } };
    const { id } = await ok(server, 'POST', identities, { token, body });
    const { enrollment } = await ok(server, 'GET', `${identities}/${id}`, { token });
    const pending = enrollment.updb;
    expect(shortly(changes.take())).toEqual([
      ['created', 'identity', id, admin],
      ['created', 'enrollment', pending.id, admin],
    ]);

    const expiresAt = new Date(time.now() + 3_600_000).toISOString();
    await ok(server, 'POST', `${enrollments}/${pending.id}/refresh`, { token, body: { expiresAt } });
    const [refreshed, ...none] = changes.take();
    expect(none).toEqual([]);
    expect(shortly([refreshed as Change])).toEqual([['updated', 'enrollment', pending.id, admin]]);
    expect(difference(refreshed as Change)).toEqual({ expiresAt: [pending.expiresAt, expiresAt] });

    const fresh = (await ok(server, 'GET', `${enrollments}/${pending.id}`, { token })).token;
    const password = 'the password of somebody';
    await ok(server, 'POST', `/edge/client/v1/enroll?method=updb&token=${fresh}`, { body: { password } });
    const { updb } = (await ok(server, 'GET', `${identities}/${id}`, { token })).authenticators;
    const redeemed = changes.take();
    expect(shortly(redeemed)).toEqual([
      ['deleted', 'enrollment', pending.id, null],
      ['created', 'authenticator', updb.id, null],
    ]);
    expect(redeemed[1]?.finalState).toMatchObject({ method: 'updb', identityId: id, username: 'somebody' });

    const own = await server.signIn({ username: 'somebody', password });
    const mine = `/edge/client/v1/current-identity/authenticators/${updb.id}`;
    const renamed = { username: 'somebody else', currentPassword: password };
    await ok(server, 'PATCH', mine, { token: own, body: renamed });
    const [change] = changes.take();
    expect(shortly([change as Change])).toEqual([['updated', 'authenticator', updb.id, id]]);
    expect(difference(change as Change)).toEqual({ username: ['somebody', 'somebody else'] });

    const policy = await addPolicy(server, token, {
      name: 'strict',
      primary: { ...policyRules.primary, updb: { ...policyRules.primary.updb, maxAttempts: 2 } },
    });
    await ok(server, 'PATCH', `${identities}/${id}`, { token, body: { authPolicyId: policy } });
    changes.take();
    for (const _attempt of [1, 2]) expect(await signInStatus(server, 'somebody else', 'a wrong one')).toBe(401);
    const [locked, ...others] = changes.take();
    expect(others).toEqual([]);
    expect(shortly([locked as Change])).toEqual([['updated', 'identity', id, null]]);
    expect(Object.keys(difference(locked as Change))).toEqual(['disabledAt', 'disabledUntil']);
  });

  it('does not name the owner for a lock that the controller sets', async () => {
    const { server, token, changes } = await start(await open());
    await using _ = server;
    const strict = { ...policyRules.primary, updb: { ...policyRules.primary.updb, maxAttempts: 2 } };
    const authPolicyId = await addPolicy(server, token, { name: 'strict', primary: strict });
    const user = await addUserUnder(server, token, { authPolicyId });
    const own = await server.signIn(user);
    const [mine] = await ok(server, 'GET', '/edge/client/v1/current-identity/authenticators', { token: own });
    changes.take();
    const body = { password: 'another password', currentPassword: 'a wrong one' };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await server.wire('PATCH', mine._links.self.href.replace('.', '/edge/client/v1'), {
        token: own,
        body,
      });
      expect(answer.status).toBe(401);
    }
    expect(shortly(changes.take())).toEqual([['updated', 'identity', user.id, null]]);
  });

  it('reports nothing of what fails, and nothing of it stays', async () => {
    const { server, token, changes } = await start(await open());
    await using _ = server;
    const good = { name: 'half made', type: 'User', isAdmin: false, roleAttributes: ['a'] };
    const bad = [
      { ...good, enrollment: { ottca: 'no such CA' } },
      { ...good, authPolicyId: 'no such policy' },
      { ...good, serviceHostingCosts: { nobody: 1 } },
    ];
    for (const body of bad) {
      const answer = await server.wire('POST', identities, { token, body });
      expect(answer.status, answer.text).toBe(404);
    }
    const { id } = await ok(server, 'POST', identities, { token, body: { ...good, name: 'second' } });
    await ok(server, 'POST', identities, { token, body: { ...good, name: 'third', externalId: 'taken' } });
    changes.take();
    for (const body of [{ name: 'third' }, { externalId: 'taken' }, { authPolicyId: 'no such policy' }]) {
      const answer = await server.wire('PATCH', `${identities}/${id}`, {
        token,
        body: { roleAttributes: ['changed'], tags: { changed: true }, ...body },
      });
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    }
    expect(changes.take()).toEqual([]);
    expect(await ok(server, 'GET', `${identities}/${id}`, { token })).toMatchObject({
      ...{ name: 'second', roleAttributes: ['a'], tags: {}, externalId: null },
    });
    expect(await sql(server, `select 1 from identities where name = 'half made'`)).toEqual([]);
    for (const table of ['enrollments', '"enrollmentTokens"', 'outbox']) {
      expect(await sql(server, `select 1 from ${table}`), table).toEqual([]);
    }
    expect(
      await sql(
        server,
        `select 1 from "identities_roleAttributes" where "ownerId" not in (select id from identities)
      or value = 'changed'`,
      ),
    ).toEqual([]);
    await ok(server, 'POST', identities, { token, body: { ...good } });
    expect(shortly(changes.take()).map(([eventType]) => eventType)).toEqual(['created']);
  });

  it('contains no secret, whatever is changed', async () => {
    const { server, token, time, changes } = await start(await open());
    await using _ = server;
    const events: unknown[] = [];
    const names = [
      'entity.created',
      'entity.updated',
      'entity.deleted',
      'authentication.succeeded',
      'enrollment.redeemed',
      'password.changed',
      'mfa.enrolled',
      'mfa.removed',
    ];
    for (const name of names) {
      server.controller.events.on(name as keyof ControllerEvents, (payload: unknown) => events.push(payload));
    }
    const secrets: string[] = [adminCredentials.password, token];
    const body = { name: 'with secrets', type: 'User', isAdmin: false, enrollment: { updb: 'withsecrets' } };
    const { id } = await ok(server, 'POST', identities, { token, body });
    const shown = async () => (await ok(server, 'GET', `${identities}/${id}`, { token })).enrollment.updb;
    const first = await shown();
    const expiresAt = new Date(time.now() + 3_600_000).toISOString();
    await ok(server, 'POST', `${enrollments}/${first.id}/refresh`, { token, body: { expiresAt } });
    const second = await shown();
    const password = 'first-secret-of-the-user';
    await ok(server, 'POST', `/edge/client/v1/enroll?method=updb&token=${second.token}`, { body: { password } });
    secrets.push(first.token, first.jwt, second.token, second.jwt, password);

    const user = { username: 'withsecrets', password };
    const own = await server.signIn(user);
    const { recoveryCodes, provisioningUrl } = await enrollTotp(server.wire, own, { time });
    secrets.push(own, ...recoveryCodes, new URL(provisioningUrl).searchParams.get('secret') ?? '');
    const [mine] = await ok(server, 'GET', '/edge/client/v1/current-identity/authenticators', { token: own });
    const changed = 'second-secret-of-the-user';
    const ownPath = `/edge/client/v1/current-identity/authenticators/${mine.id}`;
    await ok(server, 'PATCH', ownPath, { token: own, body: { password: changed, currentPassword: password } });
    const third = 'third-secret-of-the-user';
    await ok(server, 'PUT', `${authenticators}/${mine.id}`, { token, body: { username: 'again', password: third } });
    await ok(server, 'DELETE', `${authenticators}/${mine.id}`, { token });
    const fourth = 'fourth-secret-of-the-user';
    const account = { method: 'updb', identityId: id, username: 'byadmin', password: fourth };
    await ok(server, 'POST', authenticators, { token, body: account });
    await server.controller.resetAdminPassword();
    await ok(server, 'DELETE', `${identities}/${id}`, { token: await server.signIn() });
    secrets.push(changed, third, fourth);

    const kinds = new Set(changes.all.map(({ eventType, entityType }) => `${entityType} ${eventType}`));
    expect([...kinds].sort()).toEqual([
      ...['authenticator created', 'authenticator deleted', 'authenticator updated'],
      ...['enrollment created', 'enrollment deleted', 'enrollment updated'],
      ...['identity created', 'identity deleted', 'identity updated'],
    ]);
    const text = JSON.stringify(events);
    expect(text.length).toBeGreaterThan(2_000);
    for (const secret of secrets) expect(text).not.toContain(secret);
    const members = [...text.matchAll(/"([^"]+)":/g)].map(([, name]) => name ?? '');
    expect(members.filter((name) => /password|token|jwt|hash|seal|secret|codes/i.test(name))).toEqual([]);
    expect(text).not.toContain('argon2');
  });
});
