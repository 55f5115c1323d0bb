import { describe, expect, it } from 'vitest';
import { startController, storePairs } from '../support/controller.ts';
import { served } from '../support/request.ts';

const identities = '/edge/management/v1/identities';
const current = '/edge/client/v1/current-api-session';
const empty = { data: {}, meta: {} };

describe.each(storePairs)('identities on $stores', ({ open }) => {
  it('are created, read, replaced, patched and deleted with the fields of the wire', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const created = await server.wire('POST', identities, {
      token,
      body: {
        name: 'laptop-7',
        type: 'User',
        isAdmin: false,
        roleAttributes: ['b', 'a', 'b'],
        externalId: 'ext-1',
        appData: { deep: { list: [1, null] } },
        tags: { team: 'red', size: 3, on: true, none: null },
        defaultHostingCost: 7,
        isDefaultAdmin: true,
        id: 'chosen',
      },
    });
    expect(created.status).toBe(201);
    const { id } = created.body.data;
    expect(created.body).toEqual({ data: { _links: { self: { href: `./identities/${id}` } }, id }, meta: {} });
    const {
      body: { data },
    } = await server.wire('GET', `${identities}/${id}`, { token });
    expect(data).toMatchObject({
      id,
      name: 'laptop-7',
      typeId: 'Default',
      isAdmin: false,
      isDefaultAdmin: false,
      disabled: false,
      externalId: 'ext-1',
      authPolicyId: 'default',
      roleAttributes: ['a', 'b'],
      appData: { deep: { list: [1, null] } },
      defaultHostingCost: 7,
      tags: { team: 'red', size: 3, on: true, none: null },
      authenticators: {},
      enrollment: {},
      envInfo: {},
      sdkInfo: {},
      hasApiSession: false,
      isMfaEnabled: false,
      interfaces: null,
      defaultHostingPrecedence: 'default',
    });
    expect(data.createdAt).toBe(data.updatedAt);
    expect('disabledAt' in data).toBe(false);

    const patched = await server.wire('PATCH', `${identities}/${id}`, {
      token,
      body: { name: null, roleAttributes: [], externalId: '' },
    });
    expect([patched.status, patched.body]).toEqual([200, empty]);
    const afterPatch = (await server.wire('GET', `${identities}/${id}`, { token })).body.data;
    expect(afterPatch).toMatchObject({
      name: 'laptop-7',
      roleAttributes: [],
      externalId: null,
      appData: { deep: { list: [1, null] } },
      defaultHostingCost: 7,
    });

    const replaced = await server.wire('PUT', `${identities}/${id}`, {
      token,
      body: { name: 'laptop-8', type: 'Device', isAdmin: true },
    });
    expect([replaced.status, replaced.body]).toEqual([200, empty]);
    const afterPut = (await server.wire('GET', `${identities}/${id}`, { token })).body.data;
    expect(afterPut).toMatchObject({ name: 'laptop-8', isAdmin: true, appData: {}, tags: {}, defaultHostingCost: 0 });

    const deleted = await server.wire('DELETE', `${identities}/${id}`, { token });
    expect([deleted.status, deleted.body]).toEqual([200, empty]);
    for (const method of ['GET', 'DELETE'])
      expect((await server.wire(method, `${identities}/${id}`, { token })).status).toBe(404);
  });

  it('refuse what is missing, taken or unknown, name the field and change nothing', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const base = { name: 'taken', type: 'User', isAdmin: false, externalId: 'taken-id' };
    expect((await server.wire('POST', identities, { token, body: base })).status).toBe(201);
    const cases = [
      [{ ...base, name: undefined }, 400, 'COULD_NOT_VALIDATE', 'name'],
      [{ ...base, name: '' }, 400, 'COULD_NOT_VALIDATE', 'name'],
      [{ type: 'User' }, 400, 'COULD_NOT_VALIDATE', 'isAdmin'],
      [{ ...base, name: 'x', type: 'Robot', externalId: null }, 400, 'COULD_NOT_VALIDATE', 'type'],
      [{ ...base, externalId: null }, 400, 'COULD_NOT_VALIDATE', 'name'],
      [{ ...base, name: 'other' }, 400, 'COULD_NOT_VALIDATE', 'externalId'],
      [{ ...base, name: 'y', externalId: null, roleAttributes: ['#a'] }, 400, 'COULD_NOT_VALIDATE', 'roleAttributes'],
      [{ ...base, name: 'y', externalId: null, authPolicyId: 'no' }, 404, 'NOT_FOUND', undefined],
      [{ ...base, name: 'y', externalId: null, enrollment: { ottca: 'no' } }, 404, 'NOT_FOUND', 'caId'],
      [{ ...base, name: 'y', externalId: null, serviceHostingCosts: { no: 1 } }, 404, 'NOT_FOUND', undefined],
      [
        { ...base, name: 'y', externalId: null, defaultHostingCost: 70_000 },
        400,
        'COULD_NOT_VALIDATE',
        'defaultHostingCost',
      ],
      [{ ...base, name: 'y', externalId: null, tags: { nested: { a: 1 } } }, 400, 'COULD_NOT_VALIDATE', 'tags.nested'],
      [{ ...base, name: 5 }, 400, 'COULD_NOT_PARSE_BODY', undefined],
    ] as const;
    for (const [body, status, code, field] of cases) {
      const answer = await server.wire('POST', identities, { token, body });
      expect([answer.status, answer.body.error.code, answer.body.error.cause?.field], JSON.stringify(body)).toEqual([
        status,
        code,
        field,
      ]);
    }
    for (const attribute of ['#a', '@a']) {
      const body = { ...base, name: 'y', externalId: null, roleAttributes: ['b', attribute] };
      const reason = `role attributes may not be prefixed with ${attribute[0]}`;
      expect((await server.wire('POST', identities, { token, body })).body.error.cause).toEqual({
        ...{ field: 'roleAttributes', reason, value: attribute },
      });
    }
    const list = await server.wire('GET', identities, { token });
    expect(list.body.meta.pagination.totalCount).toBe(2);
    const { id } = (
      await server.wire('POST', identities, { token, body: { ...base, name: 'second', externalId: null } })
    ).body.data;
    const rename = await server.wire('PATCH', `${identities}/${id}`, { token, body: { name: 'taken', isAdmin: true } });
    expect([rename.status, rename.body.error.cause.field]).toEqual([400, 'name']);
    expect((await server.wire('GET', `${identities}/${id}`, { token })).body.data).toMatchObject({
      name: 'second',
      isAdmin: false,
    });
  });

  it('take their authenticators, enrollments and API sessions along', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const user = await server.addUser(token);
    const sessions = await Promise.all([server.signIn(user), server.signIn(user), server.signIn(user)]);
    const detail = (await server.wire('GET', `${identities}/${user.id}`, { token })).body.data;
    expect(detail.hasApiSession).toBe(true);
    expect(detail.authenticators.updb.username).toBe(user.username);
    let stop = false;
    const uses = sessions.map(async (own) => {
      while (!stop) expect([200, 401]).toContain((await server.wire('GET', current, { token: own })).status);
    });
    expect((await server.wire('DELETE', `${identities}/${user.id}`, { token })).status).toBe(200);
    const after = await Promise.all(sessions.map((own) => server.wire('GET', current, { token: own })));
    expect(after.map(({ status }) => status)).toEqual([401, 401, 401]);
    stop = true;
    await Promise.all(uses);
    const filter = encodeURIComponent(`updbUsername = "${user.username}"`);
    const authenticators = await server.wire('GET', `/edge/management/v1/authenticators?filter=${filter}`, { token });
    expect(authenticators.body.data).toEqual([]);
    const left = await server.wire('GET', '/edge/management/v1/api-sessions', { token });
    expect(left.body.meta.pagination.totalCount).toBe(1);
    const again = await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: user });
    expect(again.status).toBe(401);
  });

  it('protect the default administrator, and only that one', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const { identityId } = (await server.wire('GET', current, { token })).body.data;
    const refused = await server.wire('DELETE', `${identities}/${identityId}`, { token });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'ENTITY_CAN_NOT_BE_DELETED']);
    const other = await server.addUser(token, { isAdmin: true });
    const otherToken = await server.signIn(other);
    expect((await server.wire('DELETE', `${identities}/${other.id}`, { token: otherToken })).status).toBe(200);
    expect((await server.wire('GET', current, { token: otherToken })).status).toBe(401);
  });

  it('that are disabled lose their API sessions and get none until they are enabled', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const user = await server.addUser(token);
    const own = await server.signIn(user);
    const disabled = await server.wire('POST', `${identities}/${user.id}/disable`, {
      token,
      body: { durationMinutes: 0 },
    });
    expect([disabled.status, disabled.body]).toEqual([200, empty]);
    expect((await server.wire('GET', current, { token: own })).status).toBe(401);
    const detail = (await server.wire('GET', `${identities}/${user.id}`, { token })).body.data;
    expect([detail.disabled, 'disabledUntil' in detail]).toEqual([true, false]);
    await server.wire('POST', `${identities}/${user.id}/enable`, { token });
    expect((await server.wire('GET', current, { token: own })).status).toBe(401);
    await server.signIn(user);
  });

  it('a change of the administrator flag counts at the next request', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const user = await server.addUser(token);
    const own = await server.signIn(user);
    const statuses: number[] = [];
    for (const isAdmin of [true, false, true]) {
      await server.wire('PATCH', `${identities}/${user.id}`, { token, body: { isAdmin } });
      statuses.push((await server.wire('GET', identities, { token: own })).status);
    }
    expect(statuses).toEqual([200, 401, 200]);
  });

  it('are paged, filtered and sorted; all of them on request', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    for (let batch = 0; batch < 6; batch += 1) {
      const created = await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          served(() =>
            server.wire('POST', identities, {
              token,
              body: {
                name: `device-${batch}-${String(at).padStart(3, '0')}`,
                type: 'Device',
                isAdmin: false,
                roleAttributes: at % 2 ? ['odd'] : [],
              },
            }),
          ),
        ),
      );
      for (const { status, text } of created) expect(status, text).toBe(201);
    }
    const list = async (query: Record<string, string>) =>
      (await server.wire('GET', `${identities}?${new URLSearchParams(query)}`, { token })).body;
    expect((await list({})).data).toHaveLength(10);
    expect((await list({ limit: '1000' })).meta.pagination).toEqual({ limit: 500, offset: 0, totalCount: 601 });
    expect((await list({ limit: '-1' })).data).toHaveLength(601);
    expect((await list({ filter: 'anyOf(roleAttributes) = "odd"', limit: '1' })).meta.pagination.totalCount).toBe(300);
    const sorted = await list({ filter: 'name contains "device-3"', sort: 'name desc', limit: '2', offset: '1' });
    expect(sorted.data.map(({ name }: { name: string }) => name)).toEqual(['device-3-098', 'device-3-097']);
    const bad = await server.wire('GET', `${identities}?filter=name%20like%20%22x%22`, { token });
    expect([bad.status, bad.body.error.code]).toEqual([400, 'INVALID_FILTER']);
    const badSort = await server.wire('GET', `${identities}?sort=nothing`, { token });
    expect([badSort.status, badSort.body.error.code]).toEqual([400, 'INVALID_SORT_IDENTIFIER']);
    const badLimit = await server.wire('GET', `${identities}?limit=abc`, { token });
    expect([badLimit.status, badLimit.body.error.cause.field]).toEqual([400, 'limit']);
  });
});
