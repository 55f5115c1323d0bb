import { describe, expect, it } from 'vitest';
import { sharedStores, startController } from '../support/controller.ts';
import { startPrivateRedis } from '../support/redis.ts';

const current = '/edge/client/v1/current-api-session';

describe('a controller whose Redis goes away', () => {
  it('answers 503 with Retry-After within 500 ms, never 401, and recovers by itself', async () => {
    await using redis = await startPrivateRedis();
    await using server = await startController({ redisUrl: redis.url });
    const token = await server.signIn();
    const user = await server.addUser(token);
    await redis.stop();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const before = performance.now();
      const answer = await server.wire('GET', current, { token });
      expect(performance.now() - before).toBeLessThan(700);
      expect([answer.status, answer.body.error.code]).toEqual([503, 'STORE_UNAVAILABLE']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await server.wire('GET', '/version')).status).toBe(200);
    const signIn = await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: user });
    expect(signIn.status).toBe(503);
    await redis.start();
    await expect
      .poll(async () => (await server.wire('GET', current, { token })).status, { timeout: 5_000 })
      .not.toBe(503);
    // The private Redis keeps nothing: what it lost is refused, a new sign-in works.
    expect((await server.wire('GET', current, { token })).status).toBe(401);
    await server.signIn(user);
  });

  it('does not hang on a Redis that is stopped half-way', async () => {
    await using redis = await startPrivateRedis();
    await using server = await startController({ redisUrl: redis.url });
    const token = await server.signIn();
    redis.pause();
    const before = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.wire('GET', current, { token })));
    expect(performance.now() - before).toBeLessThan(1_500);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    redis.resume();
    await expect.poll(async () => (await server.wire('GET', current, { token })).status).toBe(200);
  });
});

describe('a controller whose Redis goes away after a commit', () => {
  it('answers 503 and still emits the events of the change', async () => {
    await using redis = await startPrivateRedis();
    await using server = await startController({ redisUrl: redis.url });
    const token = await server.signIn();
    const user = await server.addUser(token);
    const { data } = (await server.wire('GET', `/edge/management/v1/identities/${user.id}`, { token })).body;
    const events: object[] = [];
    const { events: bus } = server.controller;
    const stop = bus.on('entity.updated', () => redis.pause());
    bus.on('password.changed', (event) => events.push(event));
    const authenticatorId = data.authenticators.updb.id;
    const body = { password: 'another password of a user' };
    const changed = await server.wire('PATCH', `/edge/management/v1/authenticators/${authenticatorId}`, {
      token,
      body,
    });
    stop();
    redis.resume();
    expect(changed.status).toBe(503);
    expect(events).toEqual([{ identityId: user.id, authenticatorId, by: 'administrator' }]);
    const signsIn = () => server.signIn({ ...user, ...body }).catch(() => null);
    await expect.poll(signsIn).toEqual(expect.any(String));
  });
});

describe('two controllers on one PostgreSQL and one Redis', () => {
  it('refuse on one what was removed or changed on the other', async () => {
    const options = { ...(await sharedStores.open()), sealKey: Buffer.alloc(32, 7) };
    await using first = await startController(options);
    await using second = await startController(options);
    const token = await first.signIn();
    const user = await first.addUser(token);
    for (let round = 0; round < 5; round += 1) {
      const own = await second.signIn(user);
      expect((await first.wire('GET', current, { token: own })).status).toBe(200);
      await first.wire('DELETE', current, { token: own });
      expect((await second.wire('GET', current, { token: own })).status).toBe(401);
    }
    const own = await second.signIn(user);
    await first.wire('PATCH', `/edge/management/v1/identities/${user.id}`, { token, body: { isAdmin: true } });
    expect((await second.wire('GET', '/edge/management/v1/identities', { token: own })).status).toBe(200);
    await first.wire('PATCH', `/edge/management/v1/identities/${user.id}`, { token, body: { isAdmin: false } });
    expect((await second.wire('GET', '/edge/management/v1/identities', { token: own })).status).toBe(401);
    await first.wire('DELETE', `/edge/management/v1/identities/${user.id}`, { token });
    expect((await second.wire('GET', current, { token: own })).status).toBe(401);
  });
});
