import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { enrollments, identities, inAnHour, password, pending, redeem } from '../support/enrollments.ts';
import { addCa } from '../support/registered-cas.ts';
import { sql } from '../support/sql.ts';
import { testTime } from '../support/totp.ts';

const empty = { data: {}, meta: {} };

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

describe.each(storePairs)('enrollments on $stores', ({ open }) => {
  it('are read with the fields of the wire, and deleted', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const { identityId, id, jwt, expiresAt, ...shown } = await pending(server, token, 'somebody');
    const one = await server.wire('GET', `${enrollments}/${id}`, { token });
    const { data } = one.body;
    expect([one.status, data]).toEqual([
      200,
      {
        id,
        ...{ createdAt: data.createdAt, updatedAt: data.createdAt, tags: {}, method: 'updb', username: 'somebody' },
        ...{ identityId, expiresAt, jwt, token: shown.token },
        identity: expect.objectContaining({ entity: 'identities', id: identityId, name: 'somebody' }),
        _links: { self: { href: `./enrollments/${id}` } },
      },
    ]);
    expect(Object.keys(data.identity._links)).toHaveLength(11);
    expect((await server.wire('GET', enrollments, { token })).body.data).toEqual([data]);
    expect((await server.wire('GET', `${identities}/${identityId}/enrollments`, { token })).body.data).toEqual([data]);

    const removed = await server.wire('DELETE', `${enrollments}/${id}`, { token });
    expect([removed.status, removed.body]).toEqual([200, empty]);
    for (const method of ['GET', 'DELETE']) {
      const gone = await server.wire(method, `${enrollments}/${id}`, { token });
      expect([gone.status, gone.body.error.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await redeem(server, shown.token)).body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
    const identity = await server.wire('GET', `${identities}/${identityId}`, { token });
    expect([identity.status, identity.body.data.enrollment]).toEqual([200, {}]);
  });

  it('are listed, filtered and sorted, all or those of one identity', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const caId = await addCa(server, token);
    const made = [
      await pending(server, token, 'first'),
      await pending(server, token, 'second', { ott: true }),
      await pending(server, token, 'third', { ottca: caId }),
    ] as const;
    const [first, second, third] = made;
    const list = async (query: Record<string, string>, path = enrollments) => {
      const answer = await server.wire('GET', `${path}?${new URLSearchParams(query)}`, { token });
      expect(answer.status, answer.text).toBe(200);
      return { ids: answer.body.data.map(({ id }: { id: string }) => id), ...answer.body.meta };
    };
    const all = await list({});
    expect(all.ids.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    expect(all.pagination).toEqual({ limit: 10, offset: 0, totalCount: 3 });
    expect(all.filterableFields.toSorted()).toEqual(
      [
        'id',
        'createdAt',
        'updatedAt',
        'tags',
        'isSystem',
        'identity',
        'edgeRouter',
        'transitRouter',
        'caId',
      ].toSorted(),
    );
    expect((await list({ filter: `identity = "${second.identityId}"` })).ids).toEqual([second.id]);
    expect((await list({ filter: `identity in ["${first.identityId}", "x"]` })).ids).toEqual([first.id]);
    expect((await list({ filter: `caId = "${caId}"` })).ids).toEqual([third.id]);
    expect((await list({ filter: 'caId = null', sort: 'createdAt' })).ids).toEqual([first.id, second.id]);
    expect((await list({ filter: `id != "${first.id}"`, sort: 'createdAt desc' })).ids).toEqual([third.id, second.id]);
    expect((await list({ sort: 'caId desc, createdAt desc', limit: '2' })).ids).toEqual([third.id, second.id]);
    const byIdentity = made.toSorted((a, b) => (a.identityId < b.identityId ? -1 : 1)).map(({ id }) => id);
    expect((await list({ sort: 'identity' })).ids).toEqual(byIdentity);
    expect((await list({ sort: 'createdAt', offset: '1', limit: '1' })).ids).toEqual([second.id]);
    for (const query of ['filter=method%20%3D%20%22ott%22', 'filter=token%20%3D%20%22x%22', 'sort=jwt']) {
      expect((await server.wire('GET', `${enrollments}?${query}`, { token })).status, query).toBe(400);
    }

    const { data } = (await server.wire('GET', `${enrollments}/${third.id}`, { token })).body;
    expect([data.method, data.caId, 'username' in data, 'ca' in data]).toEqual(['ottca', caId, false, false]);
    expect((await list({}, `${identities}/${third.identityId}/enrollments`)).ids).toEqual([third.id]);
    const other = await list({ filter: `id = "${first.id}"` }, `${identities}/${third.identityId}/enrollments`);
    expect([other.ids, other.pagination.totalCount]).toEqual([[], 0]);
    const unknown = await list({}, `${identities}/nobody/enrollments`);
    expect([unknown.ids, unknown.pagination.totalCount]).toEqual([[], 0]);

    await server.wire('DELETE', `${identities}/${first.identityId}`, { token });
    await sql(server, `delete from enrollments where id = '${second.id}'`);
    expect((await list({})).ids).toEqual([third.id]);
  });

  it('get a new token, JWT and expiry when they are refreshed; the old token stops', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const before = await pending(server, token, 'somebody');
    const expiresAt = inAnHour();
    const path = `${enrollments}/${before.id}`;
    const refreshed = await server.wire('POST', `${path}/refresh`, { token, body: { expiresAt } });
    expect([refreshed.status, refreshed.body]).toEqual([200, empty]);
    const { data: after } = (await server.wire('GET', path, { token })).body;
    expect(after).toMatchObject({ id: before.id, identityId: before.identityId, method: 'updb', expiresAt });
    expect(after.token).not.toBe(before.token);
    expect(claimsOf(after.jwt)).toMatchObject({
      ...{ sub: before.identityId, em: 'updb', jti: after.token, exp: Math.floor(Date.parse(expiresAt) / 1_000) },
    });
    const identity = (await server.wire('GET', `${identities}/${before.identityId}`, { token })).body.data;
    const { id, token: shownToken, jwt } = after;
    expect(identity.enrollment).toEqual({ updb: { id, token: shownToken, jwt, expiresAt } });
    expect((await redeem(server, before.token)).body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
    expect((await redeem(server, after.token)).status).toBe(200);
    await server.signIn({ username: 'somebody', password });
    const used = await server.wire('POST', `${path}/refresh`, { token, body: { expiresAt } });
    expect([used.status, used.body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('live no longer than the settings allow, whoever makes or refreshes them', async () => {
    const day = 86_400_000;
    await using server = await startController({ ...(await open()), enrollmentDuration: 2 * day });
    const token = await server.signIn();
    await server.controller.reload({ enrollmentMaxDuration: day });
    const { id, identityId, expiresAt } = await pending(server, token, 'somebody');
    const ahead = Date.parse(expiresAt) - Date.now();
    expect(ahead > day - 60_000 && ahead <= day).toBe(true);
    const late = new Date(Date.now() + day + 60_000).toISOString();
    const send = async (path: string, body: object) => {
      const answer = await server.wire('POST', path, { token, body });
      return [answer.status, answer.body.error?.cause.field];
    };
    const other = { method: 'ott', identityId };
    for (const sent of [late, '2226-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
      expect(await send(`${enrollments}/${id}/refresh`, { expiresAt: sent })).toEqual([400, 'expiresAt']);
      expect(await send(enrollments, { ...other, expiresAt: sent })).toEqual([400, 'expiresAt']);
    }
    const inTime = new Date(Date.now() + day - 60_000).toISOString();
    expect(await send(`${enrollments}/${id}/refresh`, { expiresAt: inTime })).toEqual([200, undefined]);
    expect(await send(enrollments, { ...other, expiresAt: inTime })).toEqual([201, undefined]);
    await server.controller.reload({ enrollmentMaxDuration: 365 * day });
    expect(await send(`${enrollments}/${id}/refresh`, { expiresAt: late })).toEqual([200, undefined]);
  });

  it('refuse an expiry that is past, missing or not a date, and stay as they are', async () => {
    await using server = await startController({ ...(await open()), enrollmentMaxDuration: 100 * 365 * 86_400_000 });
    const token = await server.signIn();
    const { id } = await pending(server, token, 'somebody');
    const path = `${enrollments}/${id}`;
    const before = (await server.wire('GET', path, { token })).body.data;
    const refresh = (body: object) => server.wire('POST', `${path}/refresh`, { token, body });
    const past = new Date(Date.now() - 1_000).toISOString();
    const refused = await refresh({ expiresAt: past });
    expect([refused.status, refused.body.error.code, refused.body.error.cause]).toEqual([
      ...[400, 'COULD_NOT_VALIDATE'],
      { field: 'expiresAt', reason: 'must be after the current date and time', value: past },
    ]);
    for (const body of [{}, { expiresAt: null }]) {
      const { status, body: answer } = await refresh(body);
      expect([status, answer.error.code, answer.error.cause.field]).toEqual([400, 'COULD_NOT_VALIDATE', 'expiresAt']);
    }
    for (const expiresAt of [
      'tomorrow',
      '',
      '2099',
      'Jan 1 2099',
      '2099-02-30T00:00:00Z',
      '+012099-01-01T00:00:00Z',
      5,
    ]) {
      const { status, body } = await refresh({ expiresAt });
      expect([status, body.error.code], String(expiresAt)).toEqual([400, 'COULD_NOT_PARSE_BODY']);
    }
    expect((await server.wire('GET', path, { token })).body.data).toEqual(before);
    const unknown = await server.wire('POST', `${enrollments}/nothing/refresh`, {
      token,
      body: { expiresAt: inAnHour() },
    });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'NOT_FOUND']);

    const forms = {
      '2099-01-01T02:00:00+02:00': '2099-01-01T00:00:00.000Z',
      '2099-01-02T00:00:00': '2099-01-02T00:00:00.000Z',
    };
    for (const [sent, shown] of Object.entries(forms)) {
      expect((await refresh({ expiresAt: sent })).status, sent).toBe(200);
      expect((await server.wire('GET', path, { token })).body.data.expiresAt).toBe(shown);
    }
  });

  it('stay listed when they expire, and are worth something again when they are refreshed', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock, enrollmentDuration: 60_000 });
    const before = await pending(server, await server.signIn(), 'late');
    time.set(Date.parse(before.expiresAt));
    const token = await server.signIn();
    expect((await redeem(server, before.token)).body.error.code).toBe('ENROLLMENT_EXPIRED');
    const { data } = (await server.wire('GET', enrollments, { token })).body;
    expect(data).toMatchObject([{ id: before.id, token: before.token }]);
    const expiresAt = new Date(time.now() + 60_000).toISOString();
    await server.wire('POST', `${enrollments}/${before.id}/refresh`, { token, body: { expiresAt } });
    const after = (await server.wire('GET', `${enrollments}/${before.id}`, { token })).body.data;
    expect((await redeem(server, after.token)).status).toBe(200);
    expect((await server.wire('GET', enrollments, { token })).body.data).toEqual([]);
  });

  it('are for administrators', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const { id, identityId } = await pending(server, token, 'somebody');
    const own = await server.signIn(await server.addUser(token));
    const calls = [
      ...[
        ['GET', enrollments],
        ['GET', `${enrollments}/${id}`],
        ['DELETE', `${enrollments}/${id}`],
      ],
      ...[
        ['GET', `${identities}/${identityId}/enrollments`],
        ['POST', `${enrollments}/${id}/refresh`],
      ],
    ] as const;
    for (const [method = '', path = ''] of calls) {
      const body = method === 'POST' ? { body: { expiresAt: inAnHour() } } : {};
      expect((await server.wire(method, path, { token: own, ...body })).status, `${method} ${path}`).toBe(401);
      expect((await server.wire(method, path, body)).status, `${method} ${path}`).toBe(401);
    }
    expect((await server.wire('GET', `${enrollments}/${id}`, { token })).status).toBe(200);
  });

  it('are managed with the SDK', async () => {
    await using server = await startController(await open());
    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
    const { enrollments: api, identities: people } = edge.management;
    const { id: identityId } = await people.create({
      name: 'by SDK',
      type: 'User',
      isAdmin: false,
      enrollment: { updb: 'sdkuser' },
    });
    const { data } = await api.list({ filter: `identity = "${identityId}"` });
    const [before] = data;
    expect(data).toEqual((await people.enrollments(identityId)).data);
    const id = before?.id ?? '';
    await api.refresh(id, { expiresAt: inAnHour() });
    const after = await api.get(id);
    expect([after.method, after.username, after.token === before?.token]).toEqual(['updb', 'sdkuser', false]);
    await expect(api.refresh(id, { expiresAt: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'COULD_NOT_VALIDATE',
    });
    await api.delete(id);
    await expect(api.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });
});
