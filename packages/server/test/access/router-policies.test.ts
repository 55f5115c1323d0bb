import { createEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from '../support/calls.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { sql } from '../support/sql.ts';

const api = '/edge/management/v1';
const client = '/edge/client/v1';
const edgePolicies = `${api}/edge-router-policies`;
const servicePolicies = `${api}/service-edge-router-policies`;
const empty = { data: {}, meta: {} };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const semantic = 'AnyOf';

describe.each(storePairs)('policies of edge routers on $stores', ({ open }) => {
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
    const created = await send('POST', `${api}/${path}`, { name: `name ${names}`, ...body });
    expect(created.status, created.text).toBe(201);
    return created.body.data.id as string;
  };
  const addRouter = (body: object = {}) => add('edge-routers', body);
  const addService = (body: object = {}) => add('services', { encryptionRequired: true, ...body });
  const addIdentity = (body: object = {}) => add('identities', { type: 'User', isAdmin: false, ...body });
  const idsOf = async (path: string) => (await read(`${api}/${path}`)).map(({ id }: { id: string }) => id).toSorted();

  it('are created, read, replaced, patched and deleted with the fields of the wire', async () => {
    const router = await addRouter({ name: 'shown router' });
    for (const [path, entity, own] of [
      ['edge-router-policies', 'identity', { isSystem: false }],
      ['service-edge-router-policies', 'service', {}],
    ] as const) {
      const sent = { semantic: 'AllOf', [`${entity}Roles`]: ['#b', '#a'], edgeRouterRoles: [`@${router}`] };
      const id = await add(path, { ...sent, name: 'policy', tags: { a: 1 } });
      const one = `${api}/${path}/${id}`;
      const members = entity === 'identity' ? 'identities' : 'services';
      const full = {
        ...{ id, createdAt: time, updatedAt: time, tags: { a: 1 }, ...sent, ...own, name: 'policy' },
        [`${entity}Roles`]: ['#a', '#b'],
        [`${entity}RolesDisplay`]: ['#a', '#b'].map((role) => ({ role, name: role })),
        edgeRouterRolesDisplay: [{ role: `@${router}`, name: '@shown router' }],
        _links: {
          self: { href: `./${path}/${id}` },
          'edge-routers': { href: `./${path}/${id}/edge-routers` },
          [members]: { href: `./${path}/${id}/${members}` },
        },
      };
      expect(await read(one)).toEqual(full);
      expect((await send('PATCH', one, { semantic: 'AnyOf', isSystem: true })).body).toEqual(empty);
      expect(await read(one)).toEqual({ ...full, semantic: 'AnyOf' });
      expect((await send('PUT', one, { name: 'policy 2', semantic: 'AllOf' })).body).toEqual(empty);
      const none = { [`${entity}Roles`]: null, [`${entity}RolesDisplay`]: [], tags: {} };
      expect(await read(one)).toMatchObject({ name: 'policy 2', edgeRouterRoles: null, ...none });
      expect((await send('DELETE', one)).body).toEqual(empty);
      expect((await send('GET', one)).status).toBe(404);
    }
  });

  it('refuse what the wire refuses', async () => {
    const sent = { name: 'refused', semantic };
    for (const [path, roles] of [
      [edgePolicies, 'identityRoles'],
      [servicePolicies, 'serviceRoles'],
    ] as const) {
      for (const [body, field] of [
        [{ semantic: 'anyof' }, 'semantic'],
        [{ semantic: undefined }, 'semantic'],
        [{ name: '' }, 'name'],
        [{ [roles]: ['a'] }, roles],
        [{ [roles]: ['#all', '#a'] }, roles],
        [{ [roles]: ['@nope'] }, roles],
        [{ edgeRouterRoles: ['@all'] }, 'edgeRouterRoles'],
        [{ edgeRouterRoles: [`@${'x'.repeat(501)}`] }, 'edgeRouterRoles.0'],
      ] as const) {
        expect(await refusal('POST', path, { ...sent, ...body })).toEqual([400, 'COULD_NOT_VALIDATE', field]);
      }
      const { cause } = (await send('POST', path, { ...sent, edgeRouterRoles: ['@nope', '@no'] })).body.error;
      expect(cause).toMatchObject({ reason: 'no edgeRouters found with the given ids', value: '[no nope]' });
      expect((await refusal('PUT', `${path}/nope`, sent)).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('that the controller has made are neither changed nor deleted by a request', async () => {
    const id = await add('edge-router-policies', { semantic, identityRoles: ['#all'] });
    const one = `${edgePolicies}/${id}`;
    await sql(server, `update "edgeRouterPolicies" set "isSystem" = 1 where "id" = '${id}'`);
    expect(await read(one)).toMatchObject({ isSystem: true });
    const made = `the controller has made the edgeRouterPolicy ${id}, and keeps it`;
    const body = { name: 'other', semantic };
    for (const [method, sent] of [
      ['PUT', body],
      ['PATCH', {}],
    ] as const) {
      expect(await refusal(method, one, sent)).toEqual([400, 'ENTITY_CAN_NOT_BE_UPDATED', made]);
    }
    expect(await refusal('DELETE', one)).toEqual([400, 'ENTITY_CAN_NOT_BE_DELETED', made]);
    expect(await idsOf('edge-router-policies?filter=isSystem = true')).toEqual([id]);
    expect(await read(one)).toMatchObject({ name: `name ${names}`, identityRoles: ['#all'] });
    await sql(server, `update "edgeRouterPolicies" set "isSystem" = 0 where "id" = '${id}'`);
    expect((await send('DELETE', one)).status).toBe(200);
  });

  it('select on both sides, and are listed below what they select', async () => {
    const identity = await addIdentity({ roleAttributes: ['r1'] });
    const service = await addService({ roleAttributes: ['r1'] });
    const [one, both] = [
      await addRouter({ roleAttributes: ['r1'] }),
      await addRouter({ roleAttributes: ['r1', 'r2'] }),
    ];
    const all = [one, both].toSorted();
    const ofIdentity = await add('edge-router-policies', {
      ...{ semantic: 'AllOf', identityRoles: ['#r1'], edgeRouterRoles: ['#r1', '#r2'] },
    });
    const ofService = await add('service-edge-router-policies', {
      ...{ semantic, serviceRoles: [`@${service}`], edgeRouterRoles: ['#r1', '#r2'] },
    });
    for (const [path, ids] of [
      [`edge-router-policies/${ofIdentity}/edge-routers`, [both]],
      [`edge-router-policies/${ofIdentity}/identities`, [identity]],
      [`service-edge-router-policies/${ofService}/edge-routers`, all],
      [`service-edge-router-policies/${ofService}/services`, [service]],
      [`identities/${identity}/edge-routers`, [both]],
      [`identities/${identity}/edge-router-policies`, [ofIdentity]],
      [`services/${service}/edge-routers`, all],
      [`services/${service}/service-edge-router-policies`, [ofService]],
      [`services/${service}/terminators`, []],
      [`edge-routers/${both}/edge-router-policies`, [ofIdentity]],
      [`edge-routers/${both}/identities`, [identity]],
      [`edge-routers/${both}/service-edge-router-policies`, [ofService]],
      [`edge-routers/${both}/services`, [service]],
      [`edge-routers/${one}/identities`, []],
    ] as const) {
      expect([path, await idsOf(path)]).toEqual([path, ids]);
    }
    expect(await read(`${api}/edge-router-role-attributes?filter=id contains "r"`)).toEqual(['r1', 'r2']);
    expect(await idsOf('edge-routers?roleFilter=%23r2')).toEqual([both]);

    // The semantic alone, and the attributes of a router, count at once.
    await send('PATCH', `${edgePolicies}/${ofIdentity}`, { semantic });
    expect(await idsOf(`identities/${identity}/edge-routers`)).toEqual(all);
    await send('PATCH', `${api}/edge-routers/${one}`, { roleAttributes: [] });
    expect(await idsOf(`services/${service}/edge-routers`)).toEqual([both]);
    await send('PATCH', `${servicePolicies}/${ofService}`, { edgeRouterRoles: [`@${one}`] });
    await send('DELETE', `${api}/edge-routers/${one}`);
    expect(await read(`${servicePolicies}/${ofService}`)).toMatchObject({ edgeRouterRoles: null });
    for (const path of [
      ...['identities/nobody/edge-routers', 'identities/nobody/edge-router-policies', 'services/none/edge-routers'],
      ...['services/none/service-edge-router-policies', 'services/none/terminators', 'edge-routers/none/services'],
      ...['edge-routers/none/edge-router-policies', 'edge-routers/none/identities'],
      ...['edge-routers/none/service-edge-router-policies', 'edge-router-policies/none/identities'],
    ]) {
      expect([path, await read(`${api}/${path}`)]).toEqual([path, []]);
    }
  });

  describe('and a caller', () => {
    async function addCaller(attribute: string, options: { isAdmin?: boolean } = {}) {
      const user = await server.addUser(token, options);
      await send('PATCH', `${api}/identities/${user.id}`, { roleAttributes: [attribute] });
      const own = await server.signIn(user);
      const get = (path: string, headers: Record<string, string> = {}) =>
        server.wire('GET', client + path, { token: own, headers });
      return { id: user.id, get };
    }
    const verify = (...ids: readonly string[]) =>
      sql(server, `update "edgeRouters" set "isVerified" = 1 where "id" in (${ids.map((id) => `'${id}'`)})`);
    const shown = (name: string, own: object = {}) => ({
      ...{ name, hostname: '', isOnline: false, supportedProtocols: {}, syncStatus: 'SYNC_UNKNOWN' },
      ...{ cost: 0, noTraversal: false, disabled: false, ...own },
    });
    const path = '/current-identity/edge-routers';

    it('gets the enrolled routers of its policies; an administrator all of them', async () => {
      const { get } = await addCaller('own-routers');
      const administrator = await addCaller('own-routers-admin', { isAdmin: true });
      const attributes = { roleAttributes: ['own-routers'], appData: { secret: 1 } };
      const [own, unverified, other] = [
        await addRouter({ ...attributes, name: 'own', cost: 7, noTraversal: true, disabled: true, tags: { a: 1 } }),
        await addRouter({ ...attributes, name: 'unverified' }),
        await addRouter({ name: 'other' }),
      ];
      await verify(own, other);
      expect((await get(path)).body).toMatchObject({ data: [], meta: { pagination: { totalCount: 0 } } });
      const policy = await add('edge-router-policies', {
        ...{ semantic, identityRoles: ['#own-routers'], edgeRouterRoles: ['#own-routers'] },
      });
      expect((await get(path)).body.data).toEqual([
        {
          ...{ id: own, createdAt: time, updatedAt: time, tags: { a: 1 } },
          _links: {
            self: { href: `./edge-routers/${own}` },
            'edge-router-policies': { href: `./edge-routers/${own}/edge-router-policies` },
          },
          ...shown('own', { cost: 7, noTraversal: true, disabled: true }),
        },
      ]);
      const names = async (query = '') =>
        (await administrator.get(`${path}?sort=name${query}`)).body.data.map(({ name }: { name: string }) => name);
      expect(await names()).toEqual(['other', 'own']);
      expect(await names('&filter=name = "own" or name = "unverified"')).toEqual(['own']);
      for (const hidden of ['roleAttributes', 'isVerified', 'fingerprint', 'isTunnelerEnabled']) {
        expect((await get(`${path}?filter=${hidden} = null`)).body.error).toMatchObject({ code: 'INVALID_FILTER' });
      }
      await send('PATCH', `${edgePolicies}/${policy}`, { edgeRouterRoles: [`@${unverified}`] });
      expect((await get(path)).body.data).toEqual([]);
      await verify(unverified);
      expect((await get(path)).body.data).toMatchObject([{ name: 'unverified' }]);
      await send('DELETE', `${api}/edge-routers/${unverified}`);
      expect((await get(path)).body.data).toEqual([]);
      expect((await send('GET', api + path)).status).toBe(404);
      expect((await server.wire('GET', client + path)).status).toBe(401);
    });

    it('reads the routers of a service that its policies and those of the service have in common', async () => {
      const { get } = await addCaller('common');
      const service = await addService();
      const list = `/services/${service}/edge-routers`;
      const refused = await get(list);
      expect([refused.status, refused.body.error.cause]).toEqual([404, undefined]);
      const access = { type: 'Bind', semantic, identityRoles: ['#common'], serviceRoles: [`@${service}`] };
      const policy = await add('service-policies', access);
      expect((await get(list)).body).toEqual({ data: { edgeRouters: [] }, meta: {} });

      const [a, b, c] = [
        await addRouter({ name: 'common b' }),
        await addRouter({ name: 'common a' }),
        await addRouter({ name: 'common c' }),
      ];
      await add('edge-router-policies', {
        ...{ semantic, identityRoles: ['#common'], edgeRouterRoles: [`@${a}`, `@${b}`] },
      });
      expect((await get(list)).body.data).toEqual({ edgeRouters: [] });
      const reach = await add('service-edge-router-policies', {
        ...{ semantic, serviceRoles: [`@${service}`], edgeRouterRoles: [`@${a}`, `@${c}`] },
      });
      expect((await get(list)).body).toEqual({ data: { edgeRouters: [shown('common b')] }, meta: {} });
      await send('PATCH', `${servicePolicies}/${reach}`, { edgeRouterRoles: ['#all'] });
      const { edgeRouters } = (await get(list, { 'session-token': '' })).body.data;
      expect(edgeRouters).toEqual([shown('common a'), shown('common b')]);

      for (const sent of ['a.b.c', 'x', ' x']) {
        const unusable = await get(list, { 'session-token': sent });
        const cause = { message: 'the session token is of no session of this service' };
        expect([unusable.status, unusable.body.error]).toMatchObject([401, { code: 'UNAUTHORIZED', cause }]);
      }
      await send('DELETE', `${api}/service-policies/${policy}`);
      expect((await get(list)).status).toBe(404);
    });

    it('asks with the SDK, and stays signed in after a refused session token', async () => {
      const user = await server.addUser(token);
      const edge = createEdgeClient(server.url, { caFile: server.caFile });
      await edge.signIn.password(user);
      const router = await addRouter({ name: 'asked for' });
      await verify(router);
      const service = await addService();
      const roles = { semantic, identityRoles: [`@${user.id}`], serviceRoles: [`@${service}`] };
      await add('service-policies', { ...roles, type: 'Dial' });
      await add('edge-router-policies', { ...roles, edgeRouterRoles: [`@${router}`] });
      await add('service-edge-router-policies', { ...roles, edgeRouterRoles: [`@${router}`] });
      const { currentIdentityEdgeRouters, services } = edge.client;
      expect((await currentIdentityEdgeRouters.list()).data).toMatchObject([{ id: router, name: 'asked for' }]);
      expect(await services.edgeRouters(service)).toEqual({ edgeRouters: [shown('asked for')] });
      expect((await services.terminators(service, { limit: 1 })).data).toEqual([]);
      const refused = services.edgeRouters(service, { 'session-token': 'x' });
      await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
      await expect(services.edgeRouters('nope')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(edge.session?.state).toBe('full');
      await edge.signOut();
    });

    it('reads the terminators of a service that it may dial or bind, without what only administrators see', async () => {
      const { get } = await addCaller('terminated');
      const service = await addService({ name: 'terminated' });
      const router = await add('transit-routers', {});
      const sent = { service, router, binding: 'transport', address: 'tcp:db:5432', identity: 'one' };
      const terminator = await add('terminators', { ...sent, tags: { a: 1 } });
      const list = `/services/${service}/terminators`;
      const refused = await get(list);
      expect([refused.status, refused.body.error.cause]).toEqual([404, undefined]);
      await add('service-policies', {
        ...{ type: 'Dial', semantic, identityRoles: ['#terminated'], serviceRoles: [`@${service}`] },
      });
      expect((await get(list)).body).toMatchObject({ meta: { pagination: { totalCount: 1, limit: 10 } } });
      expect((await get(list)).body.data).toEqual([
        {
          ...{ id: terminator, createdAt: time, updatedAt: time, tags: { a: 1 }, identity: 'one' },
          ...{
            routerId: router,
            serviceId: service,
            service: (await read(`${api}/terminators/${terminator}`)).service,
          },
          _links: { self: { href: `./terminators/${terminator}` } },
        },
      ]);
      expect((await get(`${list}?filter=identity = "two"`)).body.data).toEqual([]);
      expect((await get(`${list}?filter=address = "tcp:db:5432"`)).status).toBe(400);
      expect((await get(`${list}?filter=router.name != ""`)).status).toBe(400);
    });
  });
});
