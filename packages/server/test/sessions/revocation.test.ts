import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { becomeReplica } from '../support/fail-over.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { freshDatabase } from '../support/postgres.ts';
import type { PrivateRedis } from '../support/redis.ts';
import { freshRedis, startPrivateRedis } from '../support/redis.ts';

const own = '/edge/client/v1/current-api-session';
const identities = '/edge/management/v1/identities';

async function startTwo(redisUrl: string, redisUrlOfSecond = redisUrl) {
  const options = { databaseUrl: await freshDatabase(inject('postgresUrl')), sealKey: Buffer.alloc(32, 7) };
  const first = await startController({ ...options, redisUrl });
  const second = await startController({ ...options, redisUrl: redisUrlOfSecond });
  return {
    first,
    second,
    async [Symbol.asyncDispose]() {
      await second[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}

async function statusOf({ wire }: TestController, token: string): Promise<number> {
  return (await wire('GET', own, { token })).status;
}

async function passwordPathOf({ wire }: TestController, admin: string, id: string): Promise<string> {
  const { body } = await wire('GET', `${identities}/${id}`, { token: admin });
  return `/edge/management/v1/authenticators/${body.data.authenticators.updb.id}`;
}

describe('two controllers whose Redis loses data', () => {
  it('refuse a demoted administrator when the version key is lost', async () => {
    const redisUrl = await freshRedis(inject('redisUrl'));
    await using controllers = await startTwo(redisUrl);
    const { first, second } = controllers;
    const client = await createRedisClient({ url: redisUrl }).connect();
    const admin = await first.signIn();
    const user = await first.addUser(admin, { isAdmin: true });
    const token = await second.signIn(user);
    const lists = async () => (await second.wire('GET', identities, { token })).status;
    for (let round = 0; round < 3; round += 1) {
      await client.del('edge:version');
      expect(await lists()).toBe(200);
      const path = `${identities}/${user.id}`;
      await first.wire('PATCH', path, { token: admin, body: { isAdmin: false } });
      await client.del('edge:version');
      expect(await lists()).toBe(401);
      await first.wire('PATCH', path, { token: admin, body: { isAdmin: true } });
    }
    await client.close();
  });

  it('refuse ended sessions that no index has any more', async () => {
    const redisUrl = await freshRedis(inject('redisUrl'));
    await using controllers = await startTwo(redisUrl);
    const { first, second } = controllers;
    const client = await createRedisClient({ url: redisUrl }).connect();
    const admin = await first.signIn();
    const user = await first.addUser(admin);
    const path = await passwordPathOf(first, admin, user.id);
    const signedIn = async () => {
      const token = await second.signIn(user);
      expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([200, 200]);
      await client.del(['edge:ids', 'edge:expiry', 'edge:created', `edge:identity:${user.id}`]);
      return token;
    };
    const expectRefused = async (token: string) =>
      expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([401, 401]);

    const reset = await signedIn();
    expect((await first.wire('PATCH', path, { token: admin, body: { password: user.password } })).status).toBe(200);
    await expectRefused(reset);

    const signedOut = await signedIn();
    expect((await first.wire('DELETE', own, { token: signedOut })).status).toBe(200);
    await expectRefused(signedOut);

    const disabled = await signedIn();
    for (const action of ['disable', 'enable']) {
      const body = action === 'disable' ? { durationMinutes: 0 } : {};
      expect((await first.wire('POST', `${identities}/${user.id}/${action}`, { token: admin, body })).status).toBe(200);
    }
    await expectRefused(disabled);

    const deleted = await signedIn();
    expect((await first.wire('DELETE', path, { token: admin })).status).toBe(200);
    await expectRefused(deleted);

    // Both controllers have read that the identity has no authenticator.
    const { username, password } = user;
    const body = { method: 'updb', identityId: user.id, username, password };
    const created = await first.wire('POST', '/edge/management/v1/authenticators', { token: admin, body });
    expect(created.status).toBe(201);
    for (const server of [first, second]) expect(await statusOf(server, await server.signIn(user))).toBe(200);
    await client.close();
  });

  it('keep the session of an owner who ends all other sessions', async () => {
    const redisUrl = await freshRedis(inject('redisUrl'));
    await using controllers = await startTwo(redisUrl);
    const { first, second } = controllers;
    const user = await first.addUser(await first.signIn());
    const [kept, other] = [await first.signIn(user), await second.signIn(user)];
    const { body: list } = await first.wire('GET', '/edge/client/v1/current-identity/authenticators', { token: kept });
    const path = `/edge/client/v1/current-identity/authenticators/${list.data[0].id}`;
    const requests = Array.from({ length: 40 }, (_, at) => statusOf(at % 2 ? first : second, kept));
    const body = { currentPassword: user.password, password: 'another password of a user', endOtherSessions: true };
    expect((await first.wire('PATCH', path, { token: kept, body })).status).toBe(200);
    expect(new Set(await Promise.all(requests))).toEqual(new Set([200]));
    expect([await statusOf(first, kept), await statusOf(second, kept)]).toEqual([200, 200]);
    expect([await statusOf(first, other), await statusOf(second, other)]).toEqual([401, 401]);
    const next = await second.signIn({ ...user, password: body.password });
    expect([await statusOf(first, next), await statusOf(second, kept)]).toEqual([200, 200]);
  });
});

it('refuses what ended on a Redis that one of two controllers still took for the primary', async () => {
  await using primary = await startPrivateRedis();
  await using replica = await startPrivateRedis();
  await using proxy = await startFaultProxy(primary.port);
  await using proxyOfSecond = await startFaultProxy(primary.port);
  const urls = [proxy, proxyOfSecond].map(({ port }) => `redis://127.0.0.1:${port}`);
  await using controllers = await startTwo(urls[0] ?? '', urls[1]);
  const { first, second } = controllers;
  const admin = await first.signIn();
  const [signedOut, reset] = [await first.addUser(admin), await first.addUser(admin)];
  const tokens = [await second.signIn(signedOut), await second.signIn(reset)] as const;
  const statuses = (server: TestController) => Promise.all(tokens.map((token) => statusOf(server, token)));
  await becomeReplica(replica, primary);
  proxyOfSecond.switchTarget(replica.port);
  proxyOfSecond.reset();
  await expect.poll(() => statuses(second)).toEqual([200, 200]);

  const path = await passwordPathOf(first, admin, reset.id);
  expect((await first.wire('DELETE', own, { token: tokens[0] })).status).toBe(200);
  expect((await first.wire('PATCH', path, { token: admin, body: { password: 'another password' } })).status).toBe(200);
  proxy.switchTarget(replica.port);
  proxy.reset();
  await expect.poll(() => statusOf(first, admin)).toBe(200);
  expect(await statuses(second)).toEqual([401, 401]);
});

describe.each([
  { fault: 'frozen', begin: (redis: PrivateRedis) => redis.pause(), end: (redis: PrivateRedis) => redis.resume() },
  {
    fault: 'unreachable',
    begin: (_: unknown, proxy: FaultProxy) => proxy.refuse(),
    end: (_: unknown, proxy: FaultProxy) => proxy.heal(),
  },
])('two controllers whose Redis is $fault', ({ begin, end }) => {
  it('refuse at once the session of a password reset whose response was 503', async () => {
    await using redis = await startPrivateRedis();
    await using proxy = await startFaultProxy(redis.port);
    await using controllers = await startTwo(`redis://127.0.0.1:${proxy.port}`);
    const { first, second } = controllers;
    const admin = await first.signIn();
    const user = await first.addUser(admin);
    const path = await passwordPathOf(first, admin, user.id);
    for (let round = 0; round < 3; round += 1) {
      const token = await second.signIn(user);
      expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([200, 200]);
      const stop = first.controller.events.on('entity.updated', () => begin(redis, proxy));
      const reset = await first.wire('PATCH', path, { token: admin, body: { password: user.password } });
      stop();
      end(redis, proxy);
      expect(reset.status).toBe(503);
      const statuses: number[] = [];
      for (const server of [second, first]) {
        const see = async () => statuses[statuses.push(await statusOf(server, token)) - 1];
        await expect.poll(see, { interval: 5 }).not.toBe(503);
      }
      expect(new Set(statuses.filter((status) => status !== 503))).toEqual(new Set([401]));
      await expect.poll(() => statusOf(first, admin)).toBe(200);
    }
  });
});

it('refuses at both of two controllers the session of a sign-out whose response was 503', async () => {
  await using redis = await startPrivateRedis();
  await using proxy = await startFaultProxy(redis.port);
  await using controllers = await startTwo(`redis://127.0.0.1:${proxy.port}`, redis.url);
  const { first, second } = controllers;
  const user = await first.addUser(await first.signIn());
  const token = await second.signIn(user);
  expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([200, 200]);
  const client = new pg.Client({ connectionString: first.options.databaseUrl ?? '' });
  await client.connect();
  try {
    // The sign-out waits for SQL, and then does not reach Redis.
    await client.query('begin');
    await client.query('lock table "endedSessions" in share mode');
    const signedOut = first.wire('DELETE', own, { token });
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
    proxy.refuse();
    await client.query('commit');
    expect((await signedOut).status).toBe(503);
  } finally {
    proxy.heal();
    await client.end();
  }
  for (const server of [second, first]) await expect.poll(() => statusOf(server, token)).toBe(401);
});
