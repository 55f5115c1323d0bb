import { describe, expect, it } from 'vitest';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import { entriesOf } from '../support/audit.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import type { PrivateRedis } from '../support/redis.ts';
import { startPrivateRedis } from '../support/redis.ts';
import { sql } from '../support/sql.ts';

const current = '/edge/client/v1/current-api-session';
const unavailable = { status: 503, body: { error: { code: 'STORE_UNAVAILABLE' } } };

/** Stops Redis. When it starts again, it has what it has now. */
async function stopKeeping(redis: PrivateRedis): Promise<void> {
  const client = createRedisClient({ url: redis.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.sendCommand(['SAVE']);
  client.destroy();
  await redis.stop();
}

const statusOf = async ({ wire }: TestController, token: string) => (await wire('GET', current, { token })).status;
const recorded = async (server: TestController) => (await sql(server, 'select * from "endedSessions"')).length;

describe.each([
  { database: 'SQLite', open: async () => ({}) },
  { database: 'PostgreSQL', open: async () => ({ databaseUrl: await migratedDatabase() }) },
])('a sign-out while Redis cannot be reached, on $database', ({ open }) => {
  it('gets 503 and ends the session: nobody accepts it when Redis is back, and the log says so', async () => {
    await using redis = await startPrivateRedis();
    await using server = await startController({ ...(await open()), redisUrl: redis.url });
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const [stays, ends] = [await server.signIn(user), await server.signIn(user)];
    const { id } = (await server.wire('GET', current, { token: ends })).body.data;
    const removed: object[] = [];
    server.controller.events.on('apiSession.ended', (event) => removed.push(event));
    await stopKeeping(redis);
    expect(await server.wire('DELETE', current, { token: ends })).toMatchObject(unavailable);
    await redis.start();
    await expect.poll(() => statusOf(server, stays)).toBe(200);
    expect(await statusOf(server, ends)).toBe(401);
    const listed = `/edge/management/v1/api-sessions/${id}`;
    await expect.poll(async () => (await server.wire('GET', listed, { token: admin })).status).toBe(404);
    expect(await entriesOf(server, admin, `entityId = "${id}" and event = "apiSession.ended"`)).toMatchObject([
      { identityId: user.id, outcome: 'success', details: { identityId: user.id, by: 'owner' } },
    ]);
    expect(removed).toEqual([{ apiSessionId: id, identityId: user.id, by: 'owner' }]);
    expect(await sql(server, 'select * from "outbox"')).toEqual([]);
  });

  it('is recorded a hundred times an hour for an address, whatever the tokens are, and for others as before', async () => {
    await using redis = await startPrivateRedis();
    const options = { redisUrl: redis.url, trustedProxies: ['127.0.0.1'] };
    await using server = await startController({ ...(await open()), ...options });
    const user = await server.addUser(await server.signIn());
    const token = await server.signIn(user);
    await stopKeeping(redis);
    const signOut = (made: string, address: string) =>
      server.wire('DELETE', current, { token: made, headers: { 'x-forwarded-for': address } });
    const outsiders = await Promise.all(
      Array.from({ length: 150 }, (_, at) => signOut(`made up ${at}`, `2001:db8::${at.toString(16)}`)),
    );
    expect(new Set(outsiders.map(({ status }) => status))).toEqual(new Set([503]));
    expect(await recorded(server)).toBe(100);
    expect(await signOut('x'.repeat(200), '192.0.2.1')).toMatchObject({ status: 401 });
    expect(await signOut(token, '192.0.2.2')).toMatchObject(unavailable);
    expect(await recorded(server)).toBe(101);
    for (const path of [current, '/edge/client/v1/current-identity']) {
      expect((await server.wire('GET', path, { token: 'another' })).status).toBe(503);
    }
    expect(await recorded(server)).toBe(101);
    await redis.start();
    await expect.poll(() => sql(server, 'select * from "outbox"')).toEqual([]);
    expect(await statusOf(server, token)).toBe(401);
  });
});

it('a controller that can reach Redis soon refuses the session that was signed out at another, which cannot', async () => {
  await using redis = await startPrivateRedis();
  await using proxy = await startFaultProxy(redis.port);
  const options = { databaseUrl: await migratedDatabase(), sealKey: Buffer.alloc(32, 7) };
  await using first = await startController({ ...options, redisUrl: redis.url });
  await using second = await startController({ ...options, redisUrl: `redis://127.0.0.1:${proxy.port}` });
  const user = await first.addUser(await first.signIn());
  const token = await first.signIn(user);
  expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([200, 200]);
  proxy.refuse();
  expect(await second.wire('DELETE', current, { token })).toMatchObject(unavailable);
  await expect.poll(() => statusOf(first, token)).toBe(401);
  proxy.heal();
  await expect.poll(() => statusOf(second, token)).toBe(401);
});
