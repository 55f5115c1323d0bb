import { describe, expect, it } from 'vitest';
import { auditPath, entriesOf, verified } from '../support/audit.ts';
import { startController, storePairs } from '../support/controller.ts';
import { identities, password, pending, redeem } from '../support/enrollments.ts';
import { enrollTotp, testTime, totpPaths } from '../support/totp.ts';

const management = '/edge/management/v1';
const { answer, mfa, recoveryCodes } = totpPaths('client');

describe.each(storePairs)('the audit log on $stores', ({ open }) => {
  it('has every sign-in before its response, with who, from where and why not', async () => {
    await using server = await startController(await open());
    const { wire } = server;
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const attempt = (body: object) => wire('POST', '/edge/client/v1/authenticate?method=password', { body });
    const opened = (await attempt(user)).body.data;
    const refused = await attempt({ ...user, password: 'another password' });
    await attempt({ username: 'nobody', password: 'some password' });
    const found = await entriesOf(server, admin, 'event contains "authentication." and sequence > 2');
    const base = { ipAddress: '127.0.0.1', requestId: expect.any(String), createdAt: expect.any(String) };
    expect(found.slice(-3)).toMatchObject([
      {
        ...base,
        ...{
          event: 'authentication.succeeded',
          outcome: 'success',
          identityId: user.id,
          details: { method: 'password' },
        },
        ...{ entityType: 'apiSession', entityId: opened.id },
      },
      {
        ...base,
        ...{ event: 'authentication.failed', outcome: 'failure', identityId: null, entityId: user.id },
        details: { method: 'password', reason: 'wrong password' },
        requestId: refused.body.error.requestId,
      },
      { ...base, event: 'authentication.failed', entityId: null, details: { reason: 'unknown user' } },
    ]);
  });

  it('has each change of an entity with what was before and after', async () => {
    await using server = await startController(await open());
    const { wire } = server;
    const token = await server.signIn();
    const { id: by } = (await wire('GET', '/edge/client/v1/current-identity', { token })).body.data;
    const created = await wire('POST', `${management}/services`, {
      token,
      body: { name: 'db', encryptionRequired: true },
    });
    const { id } = created.body.data;
    await wire('PATCH', `${management}/services/${id}`, { token, body: { name: 'wiki', roleAttributes: ['x'] } });
    const refused = await wire('PATCH', `${management}/services/${id}`, { token, body: { name: 7 } });
    expect(refused.status).toBe(400);
    await wire('DELETE', `${management}/services/${id}`, { token });
    const who = { identityId: by, entityType: 'service', outcome: 'success' };
    expect(await entriesOf(server, token, `entityId = "${id}"`)).toMatchObject([
      { ...who, event: 'entity.created', details: { before: null, after: { name: 'db', roleAttributes: [] } } },
      {
        ...who,
        event: 'entity.updated',
        details: { before: { name: 'db', roleAttributes: [] }, after: { name: 'wiki', roleAttributes: ['x'] } },
      },
      { ...who, event: 'entity.deleted', details: { before: { name: 'wiki' }, after: null } },
    ]);
    const [, change] = await entriesOf(server, token, `entityId = "${id}"`);
    expect(Object.keys(change?.details.after)).toEqual(['roleAttributes', 'name'].sort());
  });

  it('has second factors, enrollments, ends of sessions, locks and passwords', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const { wire } = server;
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const token = await server.signIn(user);
    const { totp } = await enrollTotp(wire, token, { time });
    const partial = await server.signIn(user);
    await wire('POST', answer, { token: partial, body: { code: totp.wrong() } });
    await wire('POST', answer, { token: partial, body: { code: await totp.next() } });
    await wire('POST', recoveryCodes, { token, body: { code: await totp.next() } });
    await wire('DELETE', mfa, { token, headers: { 'mfa-validation-code': await totp.next() } });
    await wire('DELETE', '/edge/client/v1/current-api-session', { token: partial });
    const [session] = (await wire('GET', `${management}/api-sessions?filter=identity="${user.id}"`, { token: admin }))
      .body.data;
    await wire('DELETE', `${management}/api-sessions/${session.id}`, { token: admin });
    await wire('POST', `${identities}/${user.id}/disable`, { token: admin, body: { durationMinutes: 5 } });
    const invited = await pending(server, admin, 'an invited one');
    await redeem(server, invited.token);
    const again = await redeem(server, invited.token);

    const events = (list: readonly { event: string; details: object }[]) => list.map(({ event }) => event);
    const after = (await entriesOf(server, admin)).filter(({ event }) => !event.startsWith('entity.'));
    expect(events(after).slice(after.findIndex(({ event }) => event === 'mfa.enrolled'))).toEqual([
      ...['mfa.enrolled', 'authentication.succeeded', 'mfaCode.refused', 'authQuery.answered'],
      ...['recoveryCodes.replaced', 'mfa.removed', 'apiSession.ended', 'apiSession.tokensRead'],
      ...['apiSession.ended', 'apiSessions.revoked', 'enrollment.redeemed', 'enrollment.refused'],
    ]);
    expect(after.filter(({ event }) => event === 'apiSession.ended').map(({ details }) => details.by)).toEqual([
      'owner',
      'administrator',
    ]);
    expect(after.at(-1)).toMatchObject({
      outcome: 'failure',
      requestId: again.body.error.requestId,
      details: { method: 'updb', code: 'INVALID_ENROLLMENT_TOKEN' },
    });
  });

  it('has the end of API sessions that nobody used, once for each, also when two controllers share them', async () => {
    const options = { ...(await open()), sealKey: Buffer.alloc(32, 7), sessionTimeout: 2_000 };
    await using server = await startController(options);
    const replicas = options.redisUrl ? [await startController(options), await startController(options)] : [];
    try {
      const admin = await server.signIn();
      const user = await server.addUser(admin);
      const attempt = () => server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: user });
      const opened = await Promise.all(Array.from({ length: 20 }, attempt));
      const removed = await server.signIn(user);
      await server.wire('DELETE', '/edge/client/v1/current-api-session', { token: removed });
      const ends = () => entriesOf(server, admin, 'event = "apiSession.ended"');
      await expect.poll(ends, { interval: 200 }).toHaveLength(21);
      const [byOwner, ...others] = await ends();
      expect(byOwner).toMatchObject({ identityId: user.id, details: { by: 'owner' } });
      for (const entry of others) {
        expect(entry).toMatchObject({ identityId: null, outcome: 'success', entityType: 'apiSession' });
        expect(entry.details).toEqual({ identityId: user.id, by: 'timeout' });
      }
      expect(others.map(({ entityId }) => entityId).sort()).toEqual(opened.map(({ body }) => body.data.id).sort());
    } finally {
      for (const replica of replicas) await replica[Symbol.asyncDispose]();
    }
  });

  it('has start and stop of a controller, and its settings without secrets; the end is signed', async () => {
    const options = { ...(await open()), signInBurst: 77 };
    const first = await startController(options);
    const { dataDir = '' } = first.options;
    await first.controller.close();
    await using server = await startController({ ...options, dataDir });
    const token = await server.signIn();
    const found = await entriesOf(server, token, 'event contains "controller."');
    expect(found.map(({ event }) => event)).toEqual(['controller.started', 'controller.stopped', 'controller.started']);
    expect(found[0]?.details.settings).toMatchObject({ 'web.signInBurst': 77, 'edge.admin.password': 'set' });
    const { data } = (await server.wire('GET', `${auditPath}/checkpoints`, { token })).body;
    expect(data).toMatchObject([{ kind: 'checkpoint', sequence: found[1]?.sequence, hash: found[1]?.hash }]);
    expect(await verified(server.options)).toMatchObject({ findings: [], notes: [], first: 1, checkpoints: 1 });
  });

  it('is filtered, sorted and paged, the newest first, and read by those who have the permission', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    for (const name of ['a', 'b', 'c']) {
      await server.wire('POST', `${management}/services`, { token, body: { name, encryptionRequired: true } });
    }
    const list = async (query: string) => (await server.wire('GET', `${auditPath}?${query}`, { token })).body;
    const newest = await list('limit=2');
    const { totalCount } = newest.meta.pagination;
    expect(newest.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([totalCount, totalCount - 1]);
    const filter = encodeURIComponent('entityType = "service" and createdAt > datetime(2020-01-01T00:00:00Z)');
    expect((await list(`limit=2&filter=${filter}`)).meta.pagination).toEqual({ limit: 2, offset: 0, totalCount: 3 });
    const sorted = await list(`sort=sequence&limit=1&offset=1&filter=${filter}`);
    expect(sorted.data).toMatchObject([{ details: { after: { name: 'b' } } }]);
    const done = await list(`filter=${encodeURIComponent('event contains "authentication" and outcome = "success"')}`);
    expect(done.data).toMatchObject([{ event: 'authentication.succeeded' }]);
    expect((await list('limit=-1')).meta.pagination.limit).toBe(500);
    expect((await list('filter=hash="x"')).error.code).toBe('INVALID_FILTER');
    expect((await list('sort=details')).error.code).toBe('INVALID_SORT_IDENTIFIER');

    const user = await server.addUser(token);
    const status = async () => (await server.wire('GET', auditPath, { token: await server.signIn(user) })).status;
    expect(await status()).toBe(401);
    await server.wire('PATCH', `${identities}/${user.id}`, { token, body: { permissions: ['audit-log'] } });
    expect(await status()).toBe(200);
  });

  it('has no secret in any entry', async () => {
    await using server = await startController({ ...(await open()), sealKey: Buffer.alloc(32, 7) });
    const { wire } = server;
    const admin = await server.signIn();
    const secrets: string[] = [admin, Buffer.alloc(32, 7).toString('base64'), 'correct horse battery', password];
    const invited = await pending(server, admin, 'an invited one');
    secrets.push(invited.token, invited.jwt);
    await redeem(server, invited.token);
    const user = await server.addUser(admin);
    const token = await server.signIn(user);
    const enrolled = await enrollTotp(wire, token);
    secrets.push(token, user.password, ...enrolled.recoveryCodes);
    secrets.push(new URL(enrolled.provisioningUrl).searchParams.get('secret') ?? '');
    await wire('POST', '/edge/client/v1/authenticate?method=password', {
      body: { username: 'a secret', password: 'typed' },
    });
    secrets.push('a secret', 'typed');
    const { databaseUrl, redisUrl } = server.options;
    if (databaseUrl) secrets.push(databaseUrl);
    if (redisUrl) secrets.push(redisUrl);
    const text = JSON.stringify(await entriesOf(server, admin));
    expect(secrets.filter((secret) => secret.length < 4 || text.includes(secret))).toEqual([]);
  });
});

it('writes nothing but starts and stops when it is switched off', async () => {
  await using server = await startController({ auditEnabled: false });
  const token = await server.signIn();
  await server.addUser(token);
  expect((await entriesOf(server, token)).map(({ event }) => event)).toEqual(['controller.started']);
});
