import { describe, expect, inject, it } from 'vitest';
import {
  addPolicy,
  addUserUnder,
  authPolicies as policies,
  requireTotp,
  policyRules as rules,
} from '../support/auth-policies.ts';
import { startController, storePairs } from '../support/controller.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshRedis } from '../support/redis.ts';

const identities = '/edge/management/v1/identities';
const managementSession = '/edge/management/v1/current-api-session';
const empty = { data: {}, meta: {} };
const { cert, extJwt, updb } = rules.primary;

describe.each(storePairs)('auth policies on $stores', ({ open }) => {
  it('are created, read, replaced, patched and deleted with the fields of the wire', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const read = async (id: string) => (await server.wire('GET', `${policies}/${id}`, { token })).body.data;
    const created = await server.wire('POST', policies, {
      token,
      body: { name: 'strict', ...rules, tags: { team: 'red' }, isSystem: true, id: 'chosen' },
    });
    expect(created.status).toBe(201);
    const { id } = created.body.data;
    expect(created.body).toEqual({ data: { _links: { self: { href: `./auth-policies/${id}` } }, id }, meta: {} });
    const { createdAt, updatedAt, ...detail } = await read(id);
    expect(detail).toEqual({
      id,
      tags: { team: 'red' },
      _links: { self: { href: `./auth-policies/${id}` } },
      name: 'strict',
      ...rules,
    });
    expect(createdAt).toBe(updatedAt);

    const patched = await server.wire('PATCH', `${policies}/${id}`, {
      token,
      body: {
        name: null,
        primary: { updb: { maxAttempts: 3, requireNumberChar: true, minPasswordLength: null }, cert: null },
        secondary: { requireTotp: true },
        tags: null,
      },
    });
    expect([patched.status, patched.body]).toEqual([200, empty]);
    expect(await read(id)).toMatchObject({
      name: 'strict',
      primary: { cert, extJwt, updb: { ...updb, maxAttempts: 3, requireNumberChar: true } },
      secondary: { requireTotp: true },
      tags: { team: 'red' },
    });

    const loose = { ...updb, minPasswordLength: 4, maxAttempts: -1, lockoutDurationMinutes: -20 };
    const replaced = await server.wire('PUT', `${policies}/${id}`, {
      token,
      body: { name: 'loose', primary: { cert, extJwt, updb: loose }, secondary: { requireTotp: false } },
    });
    expect([replaced.status, replaced.body]).toEqual([200, empty]);
    const bounded = { ...updb, minPasswordLength: 5, maxAttempts: 0, lockoutDurationMinutes: 0 };
    expect(await read(id)).toMatchObject({ name: 'loose', primary: { updb: bounded }, tags: {} });

    const deleted = await server.wire('DELETE', `${policies}/${id}`, { token });
    expect([deleted.status, deleted.body]).toEqual([200, empty]);
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const gone = await server.wire(method, `${policies}/${id}`, {
        token,
        ...(method === 'PATCH' ? { body: {} } : {}),
      });
      expect([gone.status, gone.body.error.cause.message]).toEqual([404, `authPolicy with id ${id} not found`]);
    }
  });

  it('take every member of a PATCH by itself and leave the others', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const id = await addPolicy(server, token, { name: 'by member' });
    const expected: Record<string, object> = { ...rules.primary };
    const members: [method: string, name: string, value: unknown][] = [
      ['cert', 'allowed', false],
      ['cert', 'allowExpiredCerts', true],
      ['extJwt', 'allowed', true],
      ['updb', 'allowed', false],
      ['updb', 'minPasswordLength', 30],
      ['updb', 'requireSpecialChar', false],
      ['updb', 'requireNumberChar', true],
      ['updb', 'requireMixedCase', false],
      ['updb', 'maxAttempts', 9],
      ['updb', 'lockoutDurationMinutes', 0],
    ];
    for (const [method, name, value] of members) {
      const body = { primary: { [method]: { [name]: value } } };
      expect((await server.wire('PATCH', `${policies}/${id}`, { token, body })).status).toBe(200);
      expected[method] = { ...expected[method], [name]: value };
      const { data } = (await server.wire('GET', `${policies}/${id}`, { token })).body;
      expect(data, `${method}.${name}`).toMatchObject({ primary: expected, secondary: rules.secondary });
    }
    await requireTotp(server, token, { id, isRequired: true });
    const { data } = (await server.wire('GET', `${policies}/${id}`, { token })).body;
    expect(data).toMatchObject({ primary: expected, secondary: { requireTotp: true } });
  });

  it('refuse what is missing, taken or unknown, name the field and change nothing', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const id = await addPolicy(server, token, { name: 'mine' });
    await addPolicy(server, token, { name: 'taken' });
    const withSigner = {
      ...rules,
      primary: { ...rules.primary, extJwt: { allowed: true, allowedSigners: ['no', 'x'] } },
    };
    const withSecond = { ...rules, secondary: { requireTotp: false, requireExtJwtSigner: 'no' } };
    const notFound = (field: string) => ({ field, reason: 'not found', value: 'no' });
    // Only a creation names the field.
    const unknownSigner = { code: 'UNHANDLED', message: 'externalJwtSigner with id no not found' };
    const withBoth = { ...withSigner, ...withSecond, primary: withSigner.primary };
    const cases = [
      ['POST', '', { ...rules, name: '' }, 400, { field: 'name', reason: 'name is required' }],
      ['POST', '', { ...rules, name: 'taken' }, 400, { field: 'name', reason: 'name must be unique', value: 'taken' }],
      ['POST', '', { ...withSigner, name: 'a' }, 404, notFound('primary.extJwt.allowedExtJwtSigners[0]')],
      ['POST', '', { ...withSecond, name: 'b' }, 404, notFound('secondary.requiredExtJwtSigner')],
      ['POST', '', { ...withBoth, name: 'b' }, 404, notFound('secondary.requiredExtJwtSigner')],
      ['POST', '', { ...rules }, 400, { field: 'name' }],
      ['POST', '', { name: 'c', primary: rules.primary }, 400, { field: 'secondary' }],
      ['POST', '', { name: 'c', ...rules, primary: { cert, extJwt } }, 400, { field: 'primary.updb' }],
      ['PUT', id, { ...rules, name: '' }, 400, { field: 'name', reason: 'name is required' }],
      ['PUT', id, { ...rules, name: 'taken' }, 400, { field: 'name', reason: 'name must be unique', value: 'taken' }],
      ['PUT', id, { ...withSigner, name: 'd' }, 404, unknownSigner],
      ['PUT', id, { ...withSecond, name: 'd' }, 404, unknownSigner],
      ['PATCH', id, { name: '', secondary: { requireTotp: true } }, 400, { field: 'name', reason: 'name is required' }],
      ['PATCH', id, { name: 'taken' }, 400, { field: 'name', reason: 'name must be unique', value: 'taken' }],
      ['PATCH', id, { secondary: withSecond.secondary }, 404, unknownSigner],
      ['PATCH', id, { primary: { extJwt: { allowedSigners: ['no'] } } }, 404, unknownSigner],
      ['PATCH', id, { primary: { updb: { maxAttempts: 'many' } } }, 400, undefined],
    ] as const;
    for (const [method, one, body, status, cause] of cases) {
      const answer = await server.wire(method, one ? `${policies}/${one}` : policies, { token, body });
      expect(answer.status, JSON.stringify(body)).toBe(status);
      if (cause) expect(answer.body.error.cause, `${method} ${JSON.stringify(body)}`).toMatchObject(cause);
      if (status === 404) expect(answer.body.error.cause).toEqual(cause);
    }
    expect((await server.wire('GET', policies, { token })).body.meta.pagination.totalCount).toBe(3);
    expect((await server.wire('GET', `${policies}/${id}`, { token })).body.data).toMatchObject({
      name: 'mine',
      ...rules,
    });
  });

  it('require no signer with null or an empty id', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    for (const requireExtJwtSigner of ['', null]) {
      const secondary = { requireTotp: true, requireExtJwtSigner };
      const id = await addPolicy(server, token, { name: `none ${requireExtJwtSigner}`, secondary });
      const bodies = [
        ['PUT', { ...rules, name: `none ${requireExtJwtSigner}`, secondary }],
        ['PATCH', { secondary: { requireExtJwtSigner } }],
        ['PATCH', { secondary: null }],
      ] as const;
      for (const [method, body] of bodies) {
        expect((await server.wire(method, `${policies}/${id}`, { token, body })).status).toBe(200);
        const { data } = (await server.wire('GET', `${policies}/${id}`, { token })).body;
        expect(data.secondary).toEqual({ requireTotp: true });
      }
    }
  });

  it('are filtered and sorted by the symbols of the wire', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const variants = [
      [
        'alpha',
        { cert: { ...cert, allowExpiredCerts: true }, updb: { ...updb, minPasswordLength: 20, maxAttempts: 0 } },
      ],
      [
        'beta',
        { extJwt: { ...extJwt, allowed: true }, updb: { ...updb, requireNumberChar: true, minPasswordLength: 15 } },
      ],
      ['gamma', { cert: { ...cert, allowed: false }, updb: { ...updb, allowed: false, requireMixedCase: false } }],
    ] as const;
    for (const [name, own] of variants) {
      const secondary = { requireTotp: name === 'gamma' };
      await addPolicy(server, token, { name, primary: { ...rules.primary, ...own }, secondary });
    }
    const list = async (query: Record<string, string>) => {
      const answer = await server.wire('GET', `${policies}?${new URLSearchParams(query)}`, { token });
      expect(answer.status, `${JSON.stringify(query)} ${answer.text}`).toBe(200);
      return answer.body;
    };
    const names = async (filter: string) =>
      (await list({ filter, sort: 'name' })).data.map(({ name }: { name: string }) => name);
    const expected: Record<string, string[]> = {
      'isSystem = true': ['Default'],
      'not isSystem': ['alpha', 'beta', 'gamma'],
      'name = "beta"': ['beta'],
      'primary.cert.allowed = false': ['gamma'],
      'primary.cert.allowExpiredCerts = true': ['Default', 'alpha'],
      'primary.updb.allowed': ['Default', 'alpha', 'beta'],
      'primary.updb.minPasswordLength >= 15': ['alpha', 'beta'],
      'primary.updb.minPasswordLength in [8, 12]': ['Default', 'gamma'],
      'primary.updb.requireSpecialChar = false': ['Default'],
      'primary.updb.requireNumberChar = true': ['beta'],
      'primary.updb.requireMixedCase = true': ['alpha', 'beta'],
      'primary.updb.maxAttempts between 1 and 6': ['beta', 'gamma'],
      'primary.extJwt.allowed = true': ['beta'],
      'secondary.requireTotp = true': ['gamma'],
      'secondary.requireExtJwtSigner = null': ['Default', 'alpha', 'beta', 'gamma'],
      'secondary.requireExtJwtSigner != null': [],
    };
    for (const [filter, found] of Object.entries(expected)) expect(await names(filter), filter).toEqual(found);
    const sorted = await list({ sort: 'primary.updb.minPasswordLength desc, name desc', limit: '3' });
    expect(sorted.data.map(({ name }: { name: string }) => name)).toEqual(['alpha', 'beta', 'gamma']);
    expect(sorted.meta.pagination).toEqual({ limit: 3, offset: 0, totalCount: 4 });
    const symbols = Object.keys(expected).map((filter) => filter.replace('not ', '').split(' ')[0]);
    expect(new Set(sorted.meta.filterableFields)).toEqual(
      new Set([...symbols, 'id', 'createdAt', 'updatedAt', 'tags']),
    );
    for (const filter of [
      'primary.updb.maxAttempts = true',
      'primary.updb.lockoutDurationMinutes = 15',
      'primary = 1',
    ]) {
      const bad = await server.wire('GET', `${policies}?filter=${encodeURIComponent(filter)}`, { token });
      expect([bad.status, bad.body.error.code], filter).toEqual([400, 'INVALID_FILTER']);
    }
  });

  it('stay while an identity names them; the system policy stays for ever and can be changed', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const id = await addPolicy(server, token, { name: 'in use' });
    const user = await addUserUnder(server, token, { authPolicyId: id });
    const refused = await server.wire('DELETE', `${policies}/${id}`, { token });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CAN_NOT_DELETE_REFERENCED_ENTITY']);
    expect(refused.body.error.cause).toEqual({
      field: 'authPolicyId',
      reason: `entity type authPolicy referenced by identity: [${user.id}]`,
      value: `[${user.id}]`,
    });
    expect((await server.wire('DELETE', `${identities}/${user.id}`, { token })).status).toBe(200);
    expect((await server.wire('DELETE', `${policies}/${id}`, { token })).status).toBe(200);

    const { data: system } = (await server.wire('GET', `${policies}/default`, { token })).body;
    expect([system.name, system.primary.extJwt.allowed, system.secondary]).toEqual([
      'Default',
      false,
      { requireTotp: false },
    ]);
    const { identityId } = (await server.wire('GET', managementSession, { token })).body.data;
    const inUse = await server.wire('DELETE', `${policies}/default`, { token });
    expect([inUse.status, inUse.body.error.cause.value]).toEqual([409, `[${identityId}]`]);
    const other = await addPolicy(server, token, { name: 'for the administrator' });
    await server.wire('PATCH', `${identities}/${identityId}`, { token, body: { authPolicyId: other } });
    const unused = await server.wire('DELETE', `${policies}/default`, { token });
    expect([unused.status, unused.body.error.code]).toEqual([409, 'CAN_NOT_DELETE_REFERENCED_ENTITY']);
    const renamed = await server.wire('PUT', `${policies}/default`, { token, body: { ...rules, name: 'House rules' } });
    expect(renamed.status).toBe(200);
    expect((await server.wire('GET', `${policies}/default`, { token })).body.data).toMatchObject({
      name: 'House rules',
    });
    expect((await server.wire('DELETE', `${policies}/default`, { token })).status).toBe(409);
  });

  it('have one winner when many are created with one name', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const body = { ...rules, name: 'the one' };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => server.wire('POST', policies, { token, body })),
    );
    const losers = answers.filter(({ status }) => status !== 201);
    expect(losers).toHaveLength(99);
    for (const { status, body: answer } of losers) {
      expect([status, answer.error.cause]).toEqual([
        400,
        { field: 'name', reason: 'name must be unique', value: 'the one' },
      ]);
    }
    expect((await server.wire('GET', policies, { token })).body.meta.pagination.totalCount).toBe(2);
  });

  it('keep every one of many changes made at once', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const id = await addPolicy(server, token, { name: 'busy' });
    const bodies = [
      { primary: { cert: { allowed: false } } },
      { primary: { updb: { maxAttempts: 7 } } },
      { primary: { updb: { minPasswordLength: 21 } } },
      { primary: { extJwt: { allowed: true } } },
      { secondary: { requireTotp: true } },
      { name: 'busier' },
      { tags: { team: 'blue' } },
    ];
    await Promise.all(
      bodies.map(async (body) => {
        const answer = await server.wire('PATCH', `${policies}/${id}`, { token, body });
        expect(answer.status, answer.text).toBe(200);
      }),
    );
    const { data } = (await server.wire('GET', `${policies}/${id}`, { token })).body;
    for (const body of bodies) expect(data).toMatchObject(body);
  });

  it('that are deleted while an identity takes them leave no identity without a policy', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const user = await server.addUser(token);
    for (let round = 0; round < 20; round += 1) {
      const id = await addPolicy(server, token, { name: `contested ${round}` });
      const [deleted, ...takers] = await Promise.all([
        server.wire('DELETE', `${policies}/${id}`, { token }),
        server.wire('POST', identities, {
          token,
          body: { name: `taker ${round}`, type: 'User', isAdmin: false, authPolicyId: id },
        }),
        server.wire('PATCH', `${identities}/${user.id}`, { token, body: { authPolicyId: id } }),
      ]);
      const isTaken = takers.some(({ status }) => status < 300);
      expect(deleted.status, `round ${round}`).toBe(isTaken ? 409 : 200);
      for (const taker of takers) expect(taker.status < 300 || taker.status === 404, taker.text).toBe(true);
      await server.wire('PATCH', `${identities}/${user.id}`, { token, body: { authPolicyId: 'default' } });
    }
  });
});

it('auth policies are not lost between a delete on one controller and an identity made on another', async () => {
  await using first = await startController({
    databaseUrl: await freshDatabase(inject('postgresUrl')),
    redisUrl: await freshRedis(inject('redisUrl')),
  });
  await using second = await startController(first.options);
  const token = await first.signIn();
  const outcomes = new Set<string>();
  for (let round = 0; round < 40; round += 1) {
    const id = await addPolicy(first, token, { name: `contested ${round}` });
    const body = { name: `taker ${round}`, type: 'User', isAdmin: false, authPolicyId: id };
    const [deleted, created] = await Promise.all([
      first.wire('DELETE', `${policies}/${id}`, { token }),
      second.wire('POST', identities, { token, body }),
    ]);
    outcomes.add(`${deleted.status} ${created.status}`);
  }
  for (const outcome of outcomes) expect(['200 404', '409 201']).toContain(outcome);
});
