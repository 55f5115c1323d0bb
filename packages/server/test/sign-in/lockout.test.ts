import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { sharedStores, startController, storePairs } from '../support/controller.ts';
import { useSlowHashes } from '../support/hash-cost.ts';
import { sql } from '../support/sql.ts';

const management = '/edge/management/v1';
const current = '/edge/client/v1/current-api-session';

/** The lock of an auth policy alone; `password-delays.test.ts` has the delays. */
const withoutDelays = { passwordAttempts: 0 };

type User = Awaited<ReturnType<TestController['addUser']>>;

interface Lockout {
  maxAttempts?: number;
  lockoutDurationMinutes?: number;
  allowed?: boolean;
}

/** A user under a policy of its own. */
async function lockable(server: TestController, lockout: Lockout = {}) {
  const token = await server.signIn();
  const { primary } = policyRules;
  const rules = { minPasswordLength: 5, requireSpecialChar: false, requireMixedCase: false };
  const updb = { ...primary.updb, ...rules, maxAttempts: 3, lockoutDurationMinutes: 5, ...lockout };
  const authPolicyId = await addPolicy(server, token, { name: randomUUID(), primary: { ...primary, updb } });
  return { token, user: await addUserUnder(server, token, { authPolicyId }), authPolicyId };
}

const attempt = (server: TestController, user: User, password: string) =>
  server.wire('POST', '/edge/client/v1/authenticate?method=password', {
    body: { username: user.username, password },
  });

async function wrong(server: TestController, user: User, times: number) {
  for (let at = 0; at < times; at += 1) expect((await attempt(server, user, `wrong ${at}`)).status).toBe(401);
}

const right = async (server: TestController, user: User) => (await attempt(server, user, user.password)).status;

async function identity(server: TestController, token: string, { id }: User) {
  return (await server.wire('GET', `${management}/identities/${id}`, { token })).body.data;
}

const ofIdentity = (id: string) => `"authenticatorId" in (select id from authenticators where "identityId" = '${id}')`;

async function failedAttempts(server: TestController, { id }: User) {
  const [row] = await sql(server, `select "failedAttempts" from passwords where ${ofIdentity(id)}`);
  return row?.failedAttempts;
}

function failures(server: TestController): Record<string, number> {
  const counted: Record<string, number> = {};
  server.controller.events.on('authentication.failed', ({ reason }) => {
    counted[reason] = (counted[reason] ?? 0) + 1;
  });
  return counted;
}

describe.each(storePairs)('lockout on $stores', ({ open }) => {
  it('comes with exactly the Nth wrong password, ends the sessions, and ends by itself', async () => {
    let now = Date.now();
    await using server = await startController({ ...(await open()), clock: () => now });
    const locks: object[] = [];
    server.controller.events.on('identity.locked', (event) => locks.push(event));
    const counted = failures(server);
    const { token, user } = await lockable(server);
    const own = await server.signIn(user);
    // A session that is presented while the identity is locked ends with that request, if not before.
    const idle = await server.signIn(user);
    await wrong(server, user, 2);
    expect((await server.wire('GET', current, { token: own })).status).toBe(200);
    expect((await identity(server, token, user)).disabled).toBe(false);
    const last = await attempt(server, user, 'wrong again');
    expect((await server.wire('GET', current, { token: own })).status).toBe(401);
    const locked = await identity(server, token, user);
    expect(locked.disabled).toBe(true);
    expect(Date.parse(locked.disabledUntil) - Date.parse(locked.disabledAt)).toBe(5 * 60_000);
    expect(locks).toEqual([{ identityId: user.id, until: locked.disabledUntil }]);
    const refused = await attempt(server, user, user.password);
    const { requestId: _a, ...ofLast } = last.body.error;
    const { requestId: _b, ...ofRefused } = refused.body.error;
    expect([refused.status, ofRefused]).toEqual([401, ofLast]);
    await wrong(server, user, 4);
    expect((await identity(server, token, user)).disabledUntil).toBe(locked.disabledUntil);
    expect(counted).toEqual({ 'wrong password': 3, 'identity disabled': 5 });
    now += 5 * 60_000;
    expect(await right(server, user)).toBe(200);
    for (const token of [own, idle]) expect((await server.wire('GET', current, { token })).status).toBe(401);
    expect(await failedAttempts(server, user)).toBe(0);
  });

  it('counts wrong passwords in a row only', async () => {
    await using server = await startController(await open());
    const { user } = await lockable(server);
    for (let round = 0; round < 3; round += 1) {
      await wrong(server, user, 2);
      expect(await right(server, user)).toBe(200);
    }
    expect(await right(server, user)).toBe(200);
    await wrong(server, user, 3);
    expect(await right(server, user)).toBe(401);
  });

  it('compares at most N of 200 wrong passwords that come at once, and locks once', async () => {
    useSlowHashes();
    await using server = await startController({ ...(await open()), ...withoutDelays });
    let locks = 0;
    server.controller.events.on('identity.locked', () => (locks += 1));
    const counted = failures(server);
    const { token, user } = await lockable(server, { maxAttempts: 5 });
    // With connections that are open already the guesses really come at once.
    await Promise.all(Array.from({ length: 200 }, () => server.wire('GET', '/version')));
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => attempt(server, user, `guess ${at}`)));
    // On a slow machine the last of 200 hashes may come too late for the client.
    for (const { status } of answers) expect([401, 503]).toContain(status);
    expect(counted['wrong password']).toBe(5);
    expect(locks).toBe(1);
    expect(await right(server, user)).toBe(401);
    expect(await failedAttempts(server, user)).toBe(0);
    const { disabledUntil } = await identity(server, token, user);
    await Promise.all(Array.from({ length: 10 }, () => attempt(server, user, 'late guess')));
    expect((await identity(server, token, user)).disabledUntil).toBe(disabledUntil);
  });

  it('never refuses right passwords that come at once', async () => {
    useSlowHashes();
    await using server = await startController(await open());
    const { user } = await lockable(server, { maxAttempts: 2 });
    const statuses = await Promise.all(Array.from({ length: 30 }, () => right(server, user)));
    expect(statuses).toEqual(Array.from({ length: 30 }, () => 200));
    expect(await failedAttempts(server, user)).toBe(0);
  });

  it('without a duration lasts until an administrator enables the identity', async () => {
    await using server = await startController(await open());
    const { token, user } = await lockable(server, { maxAttempts: 1, lockoutDurationMinutes: 0 });
    await wrong(server, user, 1);
    const locked = await identity(server, token, user);
    expect([locked.disabled, 'disabledUntil' in locked]).toEqual([true, false]);
    await server.wire('POST', `${management}/identities/${user.id}/enable`, { token });
    expect(await right(server, user)).toBe(200);
  });

  it('does not happen where attempts are not limited', async () => {
    await using server = await startController({ ...(await open()), ...withoutDelays });
    const { user } = await lockable(server, { maxAttempts: 0 });
    await Promise.all(Array.from({ length: 30 }, () => attempt(server, user, 'wrong')));
    expect(await failedAttempts(server, user)).toBe(0);
    expect(await right(server, user)).toBe(200);
  });

  it('counts across a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-lockout-'));
    const options: ControllerOptions = { ...(await open()), dataDir };
    try {
      const first = await startController(options);
      const { user } = await lockable(first);
      await wrong(first, user, 2);
      await first[Symbol.asyncDispose]();
      await using second = await startController(options);
      expect(await failedAttempts(second, user)).toBe(2);
      await wrong(second, user, 1);
      expect(await right(second, user)).toBe(401);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it.each(['disable and enable', 'PUT of the identity', 'a password by an administrator', 'a password by the owner'])(
    'forgets wrong passwords after %s',
    async (how) => {
      await using server = await startController(await open());
      const { token, user, authPolicyId } = await lockable(server);
      const own = await server.signIn(user);
      await wrong(server, user, 2);
      const one = `${management}/identities/${user.id}`;
      const { id } = (await identity(server, token, user)).authenticators.updb;
      const password = how.includes('password') ? 'another password' : user.password;
      const credentials = { username: user.username, password };
      const act = async (method: string, path: string, body?: object, as = token) =>
        expect((await server.wire(method, path, { token: as, ...(body ? { body } : {}) })).status).toBe(200);
      if (how.startsWith('disable')) {
        await act('POST', `${one}/disable`, { durationMinutes: 1 });
        await act('POST', `${one}/enable`);
      } else if (how.startsWith('PUT')) {
        await act('PUT', one, { name: user.username, type: 'User', isAdmin: false, authPolicyId });
      } else if (how.includes('administrator')) {
        await act('PUT', `${management}/authenticators/${id}`, credentials);
      } else {
        const path = `/edge/client/v1/current-identity/authenticators/${id}`;
        await act('PATCH', path, { password, currentPassword: user.password }, own);
      }
      expect(await failedAttempts(server, user)).toBe(0);
      await wrong(server, user, 2);
      expect(await right(server, { ...user, password })).toBe(200);
    },
  );

  it('leaves an identity as an administrator disabled it while attempts were in flight', async () => {
    useSlowHashes();
    await using server = await startController({ ...(await open()), hashConcurrency: 1 });
    const { token, user } = await lockable(server);
    // The one hash at a time is busy with these, so that the attempts are still in flight when the administrator comes.
    const before = Array.from({ length: 20 }, () => attempt(server, { ...user, username: 'nobody' }, 'wrong'));
    const inFlight = Array.from({ length: 3 }, () => attempt(server, user, 'wrong password'));
    await server.wire('POST', `${management}/identities/${user.id}/disable`, { token, body: { durationMinutes: 60 } });
    await Promise.all([...before, ...inFlight]);
    const { disabledAt, disabledUntil } = await identity(server, token, user);
    expect(Date.parse(disabledUntil) - Date.parse(disabledAt)).toBe(60 * 60_000);
    expect(await failedAttempts(server, user)).toBe(0);
  });

  it('lets one attempt pass when fewer are allowed than were made', async () => {
    await using server = await startController(await open());
    const { token, user, authPolicyId } = await lockable(server, { maxAttempts: 5 });
    await wrong(server, user, 3);
    const lowered = await server.wire('PATCH', `${management}/auth-policies/${authPolicyId}`, {
      token,
      body: { primary: { updb: { maxAttempts: 2 } } },
    });
    expect(lowered.status).toBe(200);
    expect(await right(server, user)).toBe(200);
    await wrong(server, user, 2);
    expect(await right(server, user)).toBe(401);
  });

  it('counts wrong current passwords of an owner', async () => {
    await using server = await startController(await open());
    const { token, user } = await lockable(server);
    const own = await server.signIn(user);
    const { id } = (await identity(server, token, user)).authenticators.updb;
    const path = `/edge/client/v1/current-identity/authenticators/${id}`;
    for (let at = 0; at < 3; at += 1) {
      expect((await server.wire('GET', current, { token: own })).status).toBe(200);
      const body = { password: 'another password', currentPassword: 'not the current one' };
      expect((await server.wire('PATCH', path, { token: own, body })).status).toBe(401);
    }
    expect((await server.wire('GET', current, { token: own })).status).toBe(401);
    expect((await identity(server, token, user)).disabled).toBe(true);
  });

  it('knows a user name by its exact characters: no variant of it has attempts of its own', async () => {
    await using server = await startController(await open());
    const counted = failures(server);
    const { user } = await lockable(server);
    const { username } = user;
    const variants = [
      username.toUpperCase(),
      ` ${username}`,
      `${username} `,
      `${username}\u200b`,
      username.replace('u', 'ｕ'),
    ];
    for (const variant of variants) {
      expect((await attempt(server, { ...user, username: variant }, user.password)).status).toBe(401);
    }
    expect(counted).toEqual({ 'unknown user': variants.length });
    expect(await failedAttempts(server, user)).toBe(0);
  });

  it('shows operators why a sign-in failed, and the client nothing', async () => {
    await using server = await startController(await open());
    const counted = failures(server);
    const forbidden = await lockable(server, { allowed: false });
    const disabled = await lockable(server);
    await server.wire('POST', `${management}/identities/${disabled.user.id}/disable`, {
      token: disabled.token,
      body: { durationMinutes: 0 },
    });
    const uncounted = await lockable(server, { maxAttempts: 0 });
    await server.wire('POST', `${management}/identities/${uncounted.user.id}/disable`, {
      token: uncounted.token,
      body: { durationMinutes: 0 },
    });
    const answers = [
      await attempt(server, forbidden.user, forbidden.user.password),
      await attempt(server, disabled.user, disabled.user.password),
      await attempt(server, uncounted.user, uncounted.user.password),
      await attempt(server, { ...disabled.user, username: 'nobody' }, 'any password'),
    ];
    for (const { status, body } of answers) expect([status, body.error.code]).toEqual([401, 'INVALID_AUTH']);
    expect(counted).toEqual({ 'method not allowed': 1, 'identity disabled': 2, 'unknown user': 1 });
  });
});

describe('lockout', () => {
  it('counts across controllers that share the stores', async () => {
    useSlowHashes();
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-lockout-'));
    try {
      const options: ControllerOptions = { ...(await sharedStores.open()), ...withoutDelays, dataDir };
      await using one = await startController(options);
      await using other = await startController(options);
      const [ofOne, ofOther] = [failures(one), failures(other)];
      const { user } = await lockable(one, { maxAttempts: 5 });
      await Promise.all(Array.from({ length: 200 }, (_, at) => attempt(at % 2 ? one : other, user, `guess ${at}`)));
      expect((ofOne['wrong password'] ?? 0) + (ofOther['wrong password'] ?? 0)).toBe(5);
      expect(await right(one, user)).toBe(401);
      expect(await right(other, user)).toBe(401);

      const second = await lockable(one);
      await wrong(one, second.user, 2);
      await wrong(other, second.user, 1);
      expect(await right(one, second.user)).toBe(401);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('refuses a right password whose hash was computed when the lock came', async () => {
    await using server = await startController(await sharedStores.open());
    const { user } = await lockable(server);
    const client = new pg.Client({ connectionString: server.options.databaseUrl ?? '' });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('update identities set "disabledAt" = \'2024-01-01T00:00:00.000Z\' where id = $1', [user.id]);
      const attempted = right(server, user);
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      while ((await client.query(waiting)).rowCount === 0) await sleep(5);
      await client.query('commit');
      expect(await attempted).toBe(401);
    } finally {
      await client.end();
    }
  });

  it('does not count attempts that find the hash queue full', async () => {
    useSlowHashes();
    await using server = await startController({ hashConcurrency: 1, hashQueue: 0 });
    const { user } = await lockable(server);
    const answers = await Promise.all(Array.from({ length: 12 }, () => attempt(server, user, user.password)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(await failedAttempts(server, user)).toBe(0);
    expect(await right(server, user)).toBe(200);
  });
});
