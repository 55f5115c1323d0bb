import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from '../support/calls.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';

const api = '/edge/management/v1';
const client = '/edge/client/v1';
const services = `${api}/services`;
const policies = `${api}/service-policies`;
const empty = { data: {}, meta: {} };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const host = { protocol: 'tcp', address: 'db', port: 5432 };
const hostType = 'NH5p4FpGR';

describe.each(storePairs)('services on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  let names = 0;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const { send, read, refusal } = callsOf(() => ({ server, token }));
  const add = async (path: string, body: object) => {
    names += 1;
    const created = await send('POST', path, { name: `name ${names}`, ...body });
    expect(created.status, created.text).toBe(201);
    return created.body.data.id as string;
  };
  const addService = (body: object = {}) => add(services, { encryptionRequired: true, ...body });
  const addPolicy = (body: object) => add(policies, { type: 'Dial', semantic: 'AllOf', ...body });
  const addConfig = (data: object = host, configTypeId = hostType) => add(`${api}/configs`, { configTypeId, data });
  const idsOf = async (path: string) => (await read(path)).map(({ id }: { id: string }) => id).toSorted();

  describe('services', () => {
    it('are created, read, replaced, patched and deleted with the fields of the wire', async () => {
      const config = await addConfig();
      const sent = { name: 'db', roleAttributes: ['b', 'a'], configs: [config], tags: { a: 1 } };
      const id = await addService({ ...sent, terminatorStrategy: 'weighted', maxIdleTimeMillis: 2 ** 40 });
      const links = ['configs', 'service-edge-router-policies', 'service-policies', 'terminators'];
      const base = {
        ...{ id, createdAt: time, updatedAt: time, config: {}, permissions: ['Invalid'] },
        _links: {
          self: { href: `./services/${id}` },
          ...Object.fromEntries(links.map((name) => [name, { href: `./services/${id}/${name}` }])),
        },
        postureQueries: [
          {
            ...{ policyId: 'dummy invalid policy: no posture checks defined', policyType: 'Invalid' },
            ...{ isPassing: true, postureQueries: [] },
          },
        ],
      };
      const created = { ...base, ...sent, roleAttributes: ['a', 'b'], encryptionRequired: true };
      const full = { ...created, terminatorStrategy: 'weighted', maxIdleTimeMillis: 2 ** 40 };
      expect(await read(`${services}/${id}`)).toEqual(full);
      expect((await send('PATCH', `${services}/${id}`, { encryptionRequired: false })).body).toEqual(empty);
      expect(await read(`${services}/${id}`)).toEqual(full);
      expect((await send('PUT', `${services}/${id}`, { name: 'db 2', maxIdleTimeMillis: -1 })).body).toEqual(empty);
      expect(await read(`${services}/${id}`)).toEqual({
        ...{ ...base, name: 'db 2', roleAttributes: null, configs: null, tags: {} },
        ...{ encryptionRequired: false, terminatorStrategy: 'smartrouting', maxIdleTimeMillis: -1 },
      });
      expect((await send('DELETE', `${services}/${id}`)).body).toEqual(empty);
      expect((await send('GET', `${services}/${id}`)).status).toBe(404);
    });

    it('refuse unknown configs and strategies, and configs that do not fit', async () => {
      const [one, two] = [await addConfig(), await addConfig()];
      const router = await add(`${api}/config-types`, { target: 'router' });
      const wrong = await addConfig({}, router);
      const id = await addService();
      for (const [method, path] of [
        ['POST', services],
        ['PUT', `${services}/${id}`],
        ['PATCH', `${services}/${id}`],
      ] as const) {
        const body = { name: `${method} name`, encryptionRequired: true };
        const unknown = await refusal(method, path, { ...body, configs: ['nope'] });
        expect(unknown).toEqual([404, 'NOT_FOUND', 'configs with id nope not found']);
        expect(await refusal(method, path, { ...body, terminatorStrategy: 'nope' })).toEqual([
          ...[404, 'NOT_FOUND', 'terminatorStrategy with name nope not found'],
        ]);
        for (const configs of [[one, two], [wrong]]) {
          expect(await refusal(method, path, { ...body, configs })).toEqual([400, 'COULD_NOT_VALIDATE', 'configs']);
        }
      }
      expect(await refusal('POST', services, { name: 'x' })).toEqual([
        ...[400, 'COULD_NOT_VALIDATE', 'encryptionRequired'],
      ]);
    });

    it('lose a config that is deleted, and are listed below it', async () => {
      const config = await addConfig();
      const id = await addService({ configs: [config] });
      expect(await idsOf(`${services}/${id}/configs`)).toEqual([config]);
      expect(await idsOf(`${api}/configs/${config}/services`)).toEqual([id]);
      await send('DELETE', `${api}/configs/${config}`);
      expect(await read(`${services}/${id}`)).toMatchObject({ configs: null });
    });

    it('are found by name, attributes and configs', async () => {
      const config = await addConfig();
      const id = await addService({ name: 'found', roleAttributes: ['found'], configs: [config] });
      expect(await idsOf(`${services}?filter=name = "found" and encryptionRequired = true`)).toEqual([id]);
      expect(await idsOf(`${services}?filter=anyOf(configs) = "${config}"`)).toEqual([id]);
      expect(await idsOf(`${services}?roleFilter=%23found`)).toEqual([id]);
    });

    it('are what the hosting costs of identities name; a deleted one does not stop other changes', async () => {
      const id = await addService();
      const body = { type: 'User', isAdmin: false, serviceHostingCosts: { [id]: 7 } };
      const identity = await add(`${api}/identities`, body);
      await send('DELETE', `${services}/${id}`);
      expect((await send('PATCH', `${api}/identities/${identity}`, { roleAttributes: ['a'] })).status).toBe(200);
      expect(await refusal('POST', `${api}/identities`, { ...body, name: 'late' })).toEqual([
        ...[404, 'NOT_FOUND', `services with id ${id} not found`],
      ]);
    });
  });

  describe('service policies', () => {
    it('select by every attribute that an entity can have', async () => {
      for (const attribute of ['x'.repeat(500), '\n', 'a#x', ' all', '𝒳']) {
        const id = await addService({ roleAttributes: [attribute] });
        const policy = await addPolicy({ serviceRoles: [`#${attribute}`] });
        expect(await idsOf(`${policies}/${policy}/services`)).toEqual([id]);
        expect(await idsOf(`${services}?roleFilter=${encodeURIComponent(`#${attribute}`)}`)).toEqual([id]);
      }
    });

    it('are created, read, replaced and patched with the fields of the wire', async () => {
      const service = await addService({ name: 'shown' });
      const sent = { type: 'Dial', semantic: 'AllOf', identityRoles: ['#b', '#a'], serviceRoles: [`@${service}`] };
      const id = await add(policies, { ...sent, name: 'policy', tags: { a: 1 } });
      expect(await read(`${policies}/${id}`)).toEqual({
        ...{ id, createdAt: time, updatedAt: time, tags: { a: 1 }, ...sent, name: 'policy' },
        identityRoles: ['#a', '#b'],
        identityRolesDisplay: ['#a', '#b'].map((role) => ({ role, name: role })),
        serviceRolesDisplay: [{ role: `@${service}`, name: '@shown' }],
        ...{ postureCheckRoles: null, postureCheckRolesDisplay: [] },
        _links: {
          self: { href: `./service-policies/${id}` },
          services: { href: `./service-policies/${id}/services` },
          identities: { href: `./service-policies/${id}/identities` },
          'posture-checks': { href: `./service-policies/${id}/posture-checks` },
        },
      });
      expect((await send('PATCH', `${policies}/${id}`, { type: 'Bind' })).body).toEqual(empty);
      expect(await read(`${policies}/${id}`)).toMatchObject({ type: 'Bind', serviceRoles: [`@${service}`] });
      await send('DELETE', `${services}/${service}`);
      expect(await read(`${policies}/${id}`)).toMatchObject({ serviceRoles: null, serviceRolesDisplay: [] });
      const replaced = { name: 'policy 2', type: 'Bind', semantic: 'AnyOf' };
      expect((await send('PUT', `${policies}/${id}`, replaced)).body).toEqual(empty);
      expect(await read(`${policies}/${id}`)).toMatchObject({ ...replaced, identityRoles: null, tags: {} });
    });

    it('refuse what the wire refuses', async () => {
      const sent = { name: 'refused', type: 'Dial', semantic: 'AllOf' };
      for (const [body, field] of [
        [{ type: 'dial' }, 'type'],
        [{ type: 'Invalid' }, 'type'],
        [{ semantic: 'anyof' }, 'semantic'],
        [{ type: undefined }, 'type'],
        [{ semantic: undefined }, 'semantic'],
        [{ identityRoles: ['a'] }, 'identityRoles'],
        [{ serviceRoles: ['#all', '#a'] }, 'serviceRoles'],
        [{ serviceRoles: ['@nope'] }, 'serviceRoles'],
        [{ postureCheckRoles: ['@all'] }, 'postureCheckRoles'],
      ] as const) {
        expect(await refusal('POST', policies, { ...sent, ...body })).toEqual([400, 'COULD_NOT_VALIDATE', field]);
      }
    });

    it('select on all sides, and are listed below what they select', async () => {
      const identity = await add(`${api}/identities`, { type: 'User', isAdmin: false, roleAttributes: ['s1'] });
      const [all, one] = [await addService({ roleAttributes: ['s1', 's2'] }), await addService()];
      const check = await add(`${api}/posture-checks`, { typeId: 'MFA', roleAttributes: ['s1'] });
      const roles = { identityRoles: ['#s1'], serviceRoles: ['#s1', '#s2', `@${one}`], postureCheckRoles: ['#s1'] };
      const id = await addPolicy(roles);
      const both = [all, one].toSorted();
      expect(await idsOf(`${policies}/${id}/services`)).toEqual(both);
      expect(await idsOf(`${policies}/${id}/identities`)).toEqual([identity]);
      expect(await idsOf(`${policies}/${id}/posture-checks`)).toEqual([check]);
      expect(await idsOf(`${services}/${one}/service-policies`)).toEqual([id]);
      expect(await idsOf(`${services}/${all}/identities`)).toEqual([identity]);
      expect(await idsOf(`${api}/identities/${identity}/services`)).toEqual(both);
      expect(await idsOf(`${api}/identities/${identity}/service-policies`)).toEqual([id]);
      const bind = await addPolicy({ type: 'Bind', identityRoles: [`@${identity}`], serviceRoles: [`@${one}`] });
      for (const [type, dialed, users] of [
        ['dial', both, [identity]],
        ['bind', [one], []],
      ] as const) {
        expect(await idsOf(`${api}/identities/${identity}/services?policyType=${type}`)).toEqual(dialed);
        expect(await idsOf(`${services}/${all}/identities?policyType=${type}`)).toEqual(users);
      }
      const wrong = await refusal('GET', `${services}/${all}/identities?policyType=Dial`);
      expect(wrong).toEqual([400, 'COULD_NOT_VALIDATE', 'policyType']);
      await send('DELETE', `${policies}/${bind}`);
      await send('PATCH', `${services}/${all}`, { roleAttributes: ['s1'] });
      expect(await idsOf(`${api}/identities/${identity}/services`)).toEqual([one]);
      for (const path of ['identities/nobody/services', 'service-policies/none/services', 'services/none/configs']) {
        expect(await read(`${api}/${path}`)).toEqual([]);
      }
      await send('DELETE', `${api}/posture-checks/${check}`);
      await send('DELETE', `${policies}/${id}`);
    });
  });

  it('have role attributes, which are listed while one of them has them', async () => {
    const id = await addService({ roleAttributes: ['listed b', 'listed a', 'other'] });
    await addService({ roleAttributes: ['listed a'] });
    const check = await add(`${api}/posture-checks`, { typeId: 'MFA', roleAttributes: ['of a check'] });
    const list = `${api}/service-role-attributes`;
    const query = 'filter=id contains "listed"';
    const { data, meta } = (await send('GET', `${list}?${query}&limit=1&offset=1`)).body;
    expect(data).toEqual(['listed a', 'listed b']);
    expect(meta).toEqual({
      filterableFields: ['id'],
      pagination: expect.objectContaining({ offset: 0, totalCount: 2 }),
    });
    expect(await read(`${list}?${query} sort by id desc limit 1`)).toEqual(['listed b']);
    expect(await read(`${list}?${query} skip 1 limit 5`)).toEqual(['listed b']);
    expect(await read(`${list}?${query}&sort=id desc`)).toEqual(['listed b', 'listed a']);
    // A console sorts all lists alike.
    expect(await read(`${list}?${query}&sort=name asc`)).toEqual(['listed a', 'listed b']);
    expect(await read(`${list}?${query}&sort=createdAt desc, id desc`)).toEqual(['listed b', 'listed a']);
    expect(await read(list)).toEqual(expect.arrayContaining(['listed a', 'listed b', 'other']));
    expect(await read(`${api}/posture-check-role-attributes?filter=id = "of a check"`)).toEqual(['of a check']);
    expect(await read(`${api}/identity-role-attributes?filter=id = "listed a"`)).toEqual([]);
    expect(await refusal('GET', `${list}?filter=name = "x"`)).toEqual([400, 'INVALID_FILTER', 'unknown symbol name']);
    const reader = await server.signIn(await server.addUser(token));
    expect((await server.wire('GET', list, { token: reader })).status).toBe(401);
    await send('DELETE', `${services}/${id}`);
    await send('DELETE', `${api}/posture-checks/${check}`);
    expect(await read(`${list}?${query}`)).toEqual(['listed a']);
  });

  describe('of a caller', () => {
    interface Caller {
      readonly id: string;
      get(path: string): ReturnType<TestController['wire']>;
      ids(): Promise<string[]>;
    }
    async function addCaller(attribute: string, options: { isAdmin?: boolean; configTypes?: string[] } = {}) {
      const { id, username, password } = await server.addUser(token, options);
      await send('PATCH', `${api}/identities/${id}`, { roleAttributes: [attribute] });
      const body = { username, password, configTypes: options.configTypes ?? [] };
      const session = await server.wire('POST', `${client}/authenticate?method=password`, { body });
      const get = (path: string) => server.wire('GET', client + path, { token: session.body.data.token });
      const ids = async () =>
        (await get('/services?limit=100')).body.data.map((service: { id: string }) => service.id).toSorted();
      return { id, get, ids } satisfies Caller;
    }

    it('are those of its policies, with what it may do, for administrators, too', async () => {
      for (const isAdmin of [false, true]) {
        const attribute = `may-${isAdmin}`;
        const { get, ids } = await addCaller(attribute, { isAdmin });
        expect(await ids()).toEqual([]);
        const [dialed, both, other] = [await addService(), await addService(), await addService()];
        await addPolicy({ identityRoles: [`#${attribute}`], serviceRoles: [`@${dialed}`, `@${both}`] });
        const bind = await addPolicy({ type: 'Bind', identityRoles: [`#${attribute}`], serviceRoles: [`@${both}`] });
        expect(await ids()).toEqual([dialed, both].toSorted());
        const permissions = async (id: string) => (await get(`/services/${id}`)).body.data.permissions;
        expect([await permissions(dialed), await permissions(both)]).toEqual([['Dial'], ['Bind', 'Dial']]);
        expect((await get(`/services/${other}`)).body.error).toMatchObject({ code: 'NOT_FOUND' });
        const { postureQueries } = (await get(`/services/${both}`)).body.data;
        const dummy = { isPassing: true, postureQueries: [] };
        expect(postureQueries).toEqual([
          { ...dummy, policyType: 'Bind', policyId: 'dummy bind policy: no posture checks defined' },
          { ...dummy, policyType: 'Dial', policyId: 'dummy dial policy: no posture checks defined' },
        ]);
        await send('PATCH', `${policies}/${bind}`, { type: 'Dial' });
        expect(await permissions(both)).toEqual(['Dial']);
        await send('DELETE', `${policies}/${bind}`);
      }
      expect((await server.wire('GET', `${client}/services`)).status).toBe(401);
    });

    it('have the configs of the types that its session asked for; an assigned one is first', async () => {
      const configs = await Promise.all([
        addConfig(),
        addConfig({ interfaces: ['a'] }, 'interfaces.v1'),
        addConfig({ ...host, port: 9 }),
      ]);
      const [own, other, assigned] = configs as [string, string, string];
      const id = await addService({ configs: [own, other] });
      await addPolicy({ identityRoles: ['#configured'], serviceRoles: [`@${id}`] });
      const shown = async ({ get }: Caller) => (await get(`/services/${id}`)).body.data.config;
      const [none, one, all] = [
        await addCaller('configured'),
        await addCaller('configured', { configTypes: ['host.v1', 'nope'] }),
        await addCaller('configured', { configTypes: ['all'] }),
      ];
      expect(await shown(none)).toEqual({});
      expect(await shown(one)).toEqual({ 'host.v1': host });
      expect(await shown(all)).toEqual({ 'host.v1': host, 'interfaces.v1': { interfaces: ['a'] } });

      const path = `${api}/identities/${one.id}/service-configs`;
      expect((await send('POST', path, [{ serviceId: id, configId: assigned }])).body).toEqual(empty);
      expect(await read(path)).toMatchObject([
        { serviceId: id, configId: assigned, service: { id, entity: 'services' }, config: { entity: 'configs' } },
      ]);
      expect(await shown(one)).toEqual({ 'host.v1': { ...host, port: 9 } });
      expect(await shown(all)).toMatchObject({ 'host.v1': host });
      expect(await refusal('DELETE', path)).toEqual([400, 'COULD_NOT_VALIDATE', 'body']);
      expect((await send('DELETE', path, [{ serviceId: id, configId: own }])).status).toBe(200);
      expect([await read(path), await shown(one)]).toEqual([[], { 'host.v1': host }]);
    });

    it('have the posture checks of each policy, and stay listed while a check does not pass', async () => {
      const { get } = await addCaller('checked');
      const id = await addService();
      const mfa = { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true, roleAttributes: ['strict'] };
      const process = { osType: 'Linux', path: '/bin/agent' };
      const [mfaId, processId, multiId] = [
        await add(`${api}/posture-checks`, { ...mfa, tags: { a: 1 } }),
        await add(`${api}/posture-checks`, { typeId: 'PROCESS', process: { ...process, hashes: ['ab'] } }),
        await add(`${api}/posture-checks`, { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [process] }),
      ];
      const roles = { identityRoles: ['#checked'], serviceRoles: [`@${id}`] };
      const free = await addPolicy(roles);
      const strict = await addPolicy({
        ...roles,
        ...{ type: 'Bind', postureCheckRoles: ['#strict', `@${processId}`, `@${multiId}`] },
      });
      const { postureQueries } = (await get('/services')).body.data[0];
      const base = { createdAt: time, updatedAt: time, tags: {}, isPassing: false };
      const none = { timeout: -1, timeoutRemaining: -1, processes: null };
      const _links = (check: string) => ({ self: { href: `./posture-checks/${check}` } });
      const queries = [
        {
          ...{ ...base, ...none, id: mfaId, queryType: 'MFA', tags: { a: 1 }, timeout: 60, timeoutRemaining: 0 },
          ...{ promptOnWake: true, promptOnUnlock: false, _links: _links(mfaId) },
        },
        { ...base, ...none, id: processId, queryType: 'PROCESS', process, _links: _links(processId) },
        { ...base, ...none, id: multiId, queryType: 'PROCESS_MULTI', processes: [process], _links: _links(multiId) },
      ];
      const inOrder = <T>(rows: T[], key: (row: T) => string) => rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
      expect(postureQueries).toEqual(
        inOrder(
          [
            { policyId: free, policyType: 'Dial', isPassing: true, postureQueries: [] },
            {
              ...{ policyId: strict, policyType: 'Bind', isPassing: false },
              postureQueries: inOrder(queries, (query) => query.id),
            },
          ],
          ({ policyId }) => policyId,
        ),
      );
      expect((await get(`/services/${id}`)).body.data.permissions).toEqual(['Bind', 'Dial']);
      for (const check of [mfaId, processId, multiId]) await send('DELETE', `${api}/posture-checks/${check}`);
    });
  });
});
