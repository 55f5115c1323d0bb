import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, requireTotp } from '../support/auth-policies.ts';
import { startController, storePairs } from '../support/controller.ts';

const current = '/edge/client/v1/current-api-session';

describe.each(storePairs)('current API session on $stores', ({ open }) => {
  it('shows the same session on both APIs and moves its expiry with each request', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const first = await server.wire('GET', current, { token });
    await sleep(50);
    const second = await server.wire('GET', '/edge/management/v1/current-api-session', { token });
    expect(first.status).toBe(200);
    expect(second.body.data.id).toBe(first.body.data.id);
    expect(second.body.data.token).toBe(token);
    expect(Date.parse(second.body.data.expiresAt)).toBeGreaterThan(Date.parse(first.body.data.expiresAt));
    expect(Date.parse(second.body.data.expiresAt) - Date.parse(second.body.data.lastActivityAt)).toBe(1_800_000);
  });

  it('shows at the next request what has changed: its identity, its auth policy and the timeout', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const policyId = await addPolicy(server, admin, { name: 'with TOTP' });
    const user = await addUserUnder(server, admin, { authPolicyId: policyId });
    const token = await server.signIn(user);
    const shown = async () => {
      const { status, body } = await server.wire('GET', current, { token });
      expect(status).toBe(200);
      return body.data;
    };
    const before = await shown();
    await sleep(5);
    const { lastActivityAt, cachedLastActivityAt, expiresAt, ...constant } = await shown();
    expect(before).toMatchObject(constant);
    for (const [name, later] of Object.entries({ lastActivityAt, cachedLastActivityAt, expiresAt })) {
      expect(Date.parse(later), name).toBeGreaterThan(Date.parse(before[name]));
    }

    const path = `/edge/management/v1/identities/${user.id}`;
    await server.wire('PATCH', path, { token: admin, body: { name: 'another name' } });
    expect((await shown()).identity.name).toBe('another name');

    await requireTotp(server, admin, { id: policyId, isRequired: true });
    expect(await shown()).toMatchObject({
      authQueries: [{ typeId: 'MFA' }],
      isMfaRequired: true,
      isMfaComplete: false,
    });
    await requireTotp(server, admin, { id: policyId, isRequired: false });
    expect(await shown()).toMatchObject({ authQueries: [], isMfaRequired: false });

    await server.controller.close();
    await using later = await startController({ ...server.options, sessionTimeout: 60_000 });
    const { data } = (await later.wire('GET', current, { token })).body;
    expect(data).toMatchObject({ expirationSeconds: 60, identity: { name: 'another name' } });
    expect(Date.parse(data.expiresAt) - Date.parse(data.lastActivityAt)).toBe(60_000);
  });

  it('is peeked at without a use of it: `touch=false`', async () => {
    await using server = await startController({ ...(await open()), sessionTimeout: 2_000 });
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const token = await server.signIn(user);
    const used = (await server.wire('GET', current, { token })).body.data;
    await sleep(400);
    for (const api of ['client', 'management']) {
      const { status, body, headers } = await server.wire('GET', `/edge/${api}/v1/current-api-session?touch=false`, {
        token,
      });
      expect(status).toBe(200);
      const { lastActivityAt, cachedLastActivityAt, expiresAt, ...constant } = body.data;
      expect(used).toMatchObject(constant);
      expect(cachedLastActivityAt).toBe(lastActivityAt);
      expect(Math.abs(Date.parse(expiresAt) - Date.parse(used.expiresAt))).toBeLessThan(50);
      expect(Math.abs(Date.parse(lastActivityAt) - Date.parse(used.lastActivityAt))).toBeLessThan(50);
      const left = Number(headers['svc-session-expires-in']);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(1.6);
    }
    const updates = await server.wire('GET', '/edge/client/v1/current-api-session/service-updates?touch=false', {
      token,
    });
    expect(Number(updates.headers['svc-session-expires-in'])).toBeLessThanOrEqual(1.6);
    const touched = await server.wire('GET', `${current}?touch=true`, { token });
    expect(Number(touched.headers['svc-session-expires-in'])).toBeGreaterThan(1.9);

    for (const value of ['no', 'False', '0']) {
      const { status, body } = await server.wire('GET', `${current}?touch=${value}`, { token });
      expect([status, body.error.code, body.error.cause.field]).toEqual([400, 'COULD_NOT_VALIDATE', 'touch']);
    }
    for (let looks = 0; looks < 8; looks += 1) {
      await sleep(300);
      await server.wire('GET', `${current}?touch=false`, { token });
    }
    expect((await server.wire('GET', `${current}?touch=false`, { token })).status).toBe(401);
  });

  it('is refused to a peek as to a use: without a token, after a sign-out and for a disabled identity', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const look = async (token?: string) => {
      const { status, headers } = await server.wire('GET', `${current}?touch=false`, token ? { token } : {});
      return [status, /error="(\w+)"/.exec(String(headers['www-authenticate']))?.[1]];
    };
    const [first, second] = [await server.signIn(user), await server.signIn(user)];
    expect(await look()).toEqual([401, 'missing']);
    expect(await look('nothing')).toEqual([401, 'invalid']);
    expect((await look(first))[0]).toBe(200);
    await server.wire('DELETE', current, { token: first });
    expect(await look(first)).toEqual([401, 'invalid']);
    const path = `/edge/management/v1/identities/${user.id}/disable`;
    await server.wire('POST', path, { token: admin, body: { durationMinutes: 5 } });
    expect(await look(second)).toEqual([401, 'invalid']);
  });

  it('lives as long as it is used and ends when it is not', async () => {
    await using server = await startController({ ...(await open()), sessionTimeout: 1_000 });
    const token = await server.signIn();
    for (let use = 0; use < 4; use += 1) {
      await sleep(450);
      expect((await server.wire('GET', current, { token })).status).toBe(200);
    }
    await sleep(1_150);
    const ended = await server.wire('GET', current, { token });
    expect(ended.status).toBe(401);
    expect(ended.headers['www-authenticate']).toContain('error="invalid"');
  });

  it('ends with DELETE; the second time there is nothing to end', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const other = await server.signIn();
    const ended = await server.wire('DELETE', current, { token });
    expect([ended.status, ended.body]).toEqual([200, { data: {}, meta: {} }]);
    expect((await server.wire('DELETE', current, { token })).status).toBe(401);
    expect((await server.wire('GET', current, { token })).status).toBe(401);
    expect((await server.wire('GET', current, { token: other })).status).toBe(200);
  });

  it('is never brought back by requests that race with its end', async () => {
    await using server = await startController(await open());
    for (let round = 0; round < 10; round += 1) {
      const token = await server.signIn();
      const uses = Array.from({ length: 20 }, () => server.wire('GET', current, { token }));
      const ended = await server.wire('DELETE', current, { token });
      expect(ended.status).toBe(200);
      const after = await Promise.all(Array.from({ length: 5 }, () => server.wire('GET', current, { token })));
      expect(after.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
      for (const { status } of await Promise.all(uses)) expect([200, 401]).toContain(status);
      expect((await server.wire('GET', current, { token })).status).toBe(401);
    }
  });

  it('survives a restart of the controller', async () => {
    await using first = await startController(await open());
    const token = await first.signIn();
    await first.controller.close();
    await using second = await startController(first.options);
    expect((await second.wire('GET', current, { token })).status).toBe(200);
    expect(second.controller.admin).toMatchObject({ created: false, generatedPassword: null });
  });

  it('is listed, read and removed by an administrator', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const token = await server.signIn(user);
    const id = (await server.wire('GET', current, { token })).body.data.id;
    const filter = encodeURIComponent(`identity = "${user.id}"`);
    const list = await server.wire('GET', `/edge/management/v1/api-sessions?filter=${filter}`, { token: admin });
    expect(list.status).toBe(200);
    expect(list.body.meta.pagination).toEqual({ limit: 10, offset: 0, totalCount: 1 });
    expect(list.body.data[0]).toMatchObject({ id, identityId: user.id, authQueries: [], token });
    const detail = await server.wire('GET', `/edge/management/v1/api-sessions/${id}`, { token: admin });
    expect(detail.body.data).toMatchObject({ id, identity: { name: user.username } });
    const removed = await server.wire('DELETE', `/edge/management/v1/api-sessions/${id}`, { token: admin });
    expect([removed.status, removed.body]).toEqual([200, { data: {}, meta: {} }]);
    expect((await server.wire('GET', current, { token })).status).toBe(401);
    const again = await server.wire('DELETE', `/edge/management/v1/api-sessions/${id}`, { token: admin });
    expect([again.status, again.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect((await server.wire('GET', `/edge/management/v1/api-sessions/${id}`, { token: admin })).status).toBe(404);
  });

  it('accepts and echoes the header names of existing clients when they are configured', async () => {
    await using server = await startController({ ...(await open()), sessionHeaders: ['svc-session', 'zt-session'] });
    const { headers, body } = await server.wire('POST', '/edge/client/v1/authenticate?method=password', {
      body: { username: 'admin', password: 'correct horse battery' },
    });
    expect(headers['zt-session']).toBe(body.data.token);
    const answer = await server.wire('GET', current, { headers: { 'zt-session': body.data.token } });
    expect(answer.status).toBe(200);
  });
});
