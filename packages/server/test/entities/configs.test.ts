import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from '../support/calls.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';

const api = '/edge/management/v1';
const types = `${api}/config-types`;
const configs = `${api}/configs`;
const empty = { data: {}, meta: {} };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe.each(storePairs)('configs on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  let names = 0;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const { send, read } = callsOf(() => ({ server, token }));
  const refusal = async (method: string, path: string, body?: unknown) => {
    const { status, body: refused } = await send(method, path, body);
    return [status, refused.error?.code, refused.error?.cause];
  };
  const invalid = (field: string, reason: unknown, value?: unknown) => [
    400,
    'COULD_NOT_VALIDATE',
    { field, reason, ...(value === undefined ? {} : { value }) },
  ];
  const add = async (path: string, body: object) => {
    names += 1;
    const created = await send('POST', path, { name: `name ${names}`, ...body });
    expect(created.status, created.text).toBe(201);
    return created.body.data.id as string;
  };
  const portSchema = { type: 'object', required: ['port'], properties: { port: { type: 'integer' } } };

  describe('identity types', () => {
    it('are the two of every network', async () => {
      const list = await send('GET', `${api}/identity-types?sort=name`);
      expect(list.body.data).toEqual(
        ['Default', 'Router'].map((id) => ({
          ...{ id, name: id, createdAt: time, updatedAt: time, tags: {} },
          _links: { self: { href: `./identity-types/${id}` } },
        })),
      );
      expect(await read(`${api}/identity-types/Router`)).toMatchObject({ id: 'Router' });
      expect((await send('GET', `${api}/identity-types/Device`)).body.error.cause.message).toBe(
        'identityType with id Device not found',
      );
    });

    it('are what the type of an identity refers to', async () => {
      const id = await add(`${api}/identities`, { type: 'Device', isAdmin: false });
      const { type } = await read(`${api}/identities/${id}`);
      expect(type).toEqual({ _links: type._links, entity: 'identity-types', id: 'Default', name: 'Default' });
      expect(await read(`${api}/${type._links.self.href}`)).toMatchObject({ id: 'Default' });
    });

    it('can be read with any full session, and changed by nobody', async () => {
      const reader = await server.signIn(await server.addUser(token));
      const status = async (path: string) => (await server.wire('GET', `${api}${path}`, { token: reader })).status;
      expect([await status('/identity-types'), await status('/identity-types/Default')]).toEqual([200, 200]);
      expect([await status('/config-types'), await status('/configs')]).toEqual([401, 401]);
      expect((await send('POST', `${api}/identity-types`, { name: 'x' })).status).toBe(405);
      expect((await send('DELETE', `${api}/identity-types/Router`)).status).toBe(405);
    });
  });

  describe('config types', () => {
    it('of every network have the ids and names that tunnelers and routers know', async () => {
      const { data } = (await send('GET', `${types}?limit=100`)).body;
      const builtIn = data.filter(({ name }: { name: string }) => name.endsWith('1') || name === 'host.v2');
      expect(Object.fromEntries(builtIn.map(({ id, name }: { id: string; name: string }) => [name, id]))).toMatchObject(
        {
          'ziti-tunneler-client.v1': 'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
          'ziti-tunneler-server.v1': 'cea49285-6c07-42cf-9f52-09a9b115c783',
          'intercept.v1': 'g7cIWbcGg',
          'host.v1': 'NH5p4FpGR',
          'host.v2': 'host.v2',
          'interfaces.v1': 'interfaces.v1',
          'proxy.v1': 'proxy.v1',
          'router.link.v1': 'router.link.v1',
        },
      );
      const targets = data.filter(({ target }: { target: string }) => target === 'router');
      expect(targets.map(({ id }: { id: string }) => id)).toEqual(['router.link.v1']);
    });

    it('are created, read, replaced, patched and deleted with the fields of the wire', async () => {
      const id = await add(types, { name: 'ports', schema: portSchema, target: 'router', tags: { a: 1 } });
      expect(await read(`${types}/${id}`)).toEqual({
        ...{ id, createdAt: time, updatedAt: time, tags: { a: 1 }, _links: { self: { href: `./config-types/${id}` } } },
        ...{ name: 'ports', schema: portSchema, target: 'router' },
      });
      expect((await send('PATCH', `${types}/${id}`, { name: 'renamed' })).body).toEqual(empty);
      expect(await read(`${types}/${id}`)).toMatchObject({ name: 'renamed', schema: portSchema });
      expect((await send('PUT', `${types}/${id}`, { name: 'replaced', target: 'service' })).body).toEqual(empty);
      expect(await read(`${types}/${id}`)).toMatchObject({
        name: 'replaced',
        schema: null,
        target: 'router',
        tags: {},
      });
      expect((await send('DELETE', `${types}/${id}`)).body).toEqual(empty);
      expect((await send('GET', `${types}/${id}`)).status).toBe(404);
    });

    it('without a schema show null, and have the target service', async () => {
      for (const schema of [undefined, null, {}]) {
        const id = await add(types, { schema });
        expect(await read(`${types}/${id}`)).toMatchObject({ schema: null, target: 'service' });
      }
    });

    it('have a name of their own, which is not "all"', async () => {
      expect(await refusal('POST', types, { name: 'all' })).toEqual(invalid('name', expect.any(String), 'all'));
      const id = await add(types, { name: 'All' });
      expect(await refusal('PATCH', `${types}/${id}`, { name: 'all' })).toEqual(
        invalid('name', expect.any(String), 'all'),
      );
      expect(await refusal('POST', types, { name: 'host.v1' })).toEqual(
        invalid('name', 'name must be unique', 'host.v1'),
      );
      expect(await refusal('POST', types, {})).toMatchObject([400, 'COULD_NOT_VALIDATE', { field: 'name' }]);
    });

    it.each([
      [[], 'invalid type, expected object'],
      ['text', 'invalid type, expected object'],
      [{ properties: {} }, 'invalid config type schema, root type must be object'],
      [{ type: ['object'] }, 'invalid config type schema, root type must be object'],
      [{ type: 'object', required: 'a' }, 'invalid schema schema/required must be array'],
      [{ type: 'object', allOf: [{ $ref: 'https://edge.example/' }] }, /^invalid schema .*must begin with #/],
      [{ type: 'object', properties: { a: { pattern: '(?=a)' } } }, /^invalid schema /],
    ])('refuse the schema %j in every verb', async (schema, reason) => {
      const id = await add(types, { schema: portSchema });
      const name = 'refused';
      const expected = typeof reason === 'string' ? reason : expect.stringMatching(reason);
      for (const [method, path] of [
        ['POST', types],
        ['PUT', `${types}/${id}`],
        ['PATCH', `${types}/${id}`],
      ] as const) {
        expect(await refusal(method, path, { name, schema })).toMatchObject(invalid('schema', expected));
      }
      expect((await read(`${types}/${id}`)).schema).toEqual(portSchema);
    });

    it('cannot be deleted while there is a config of them', async () => {
      const typeId = await add(types, {});
      const id = await add(configs, { configTypeId: typeId, data: {} });
      const reason = `entity type configType referenced by config: [${id}]`;
      const cause = { field: 'configTypeId', reason, value: `[${id}]` };
      expect(await refusal('DELETE', `${types}/${typeId}`)).toEqual([409, 'CAN_NOT_DELETE_REFERENCED_ENTITY', cause]);
      await send('DELETE', `${configs}/${id}`);
      expect((await send('DELETE', `${types}/${typeId}`)).status).toBe(200);
    });

    it('of every network can be deleted, too', async () => {
      expect((await send('DELETE', `${types}/interfaces.v1`)).status).toBe(200);
      await add(types, { name: 'interfaces.v1' });
    });

    it('list their configs', async () => {
      const typeId = await add(types, {});
      await add(configs, {
        configTypeId: 'host.v2',
        data: { terminators: [{ protocol: 'tcp', address: 'a', port: 1 }] },
      });
      const own = [
        await add(configs, { configTypeId: typeId, data: {} }),
        await add(configs, { configTypeId: typeId, data: {} }),
      ];
      const ids = async (path: string) =>
        (await send('GET', path)).body.data.map(({ id }: { id: string }) => id).toSorted();
      expect(await ids(`${types}/${typeId}/configs`)).toEqual(own.toSorted());
      expect(await ids(`${configs}?filter=type = "${typeId}"`)).toEqual(own.toSorted());
      expect((await send('GET', `${types}/no-such-id/configs`)).body).toMatchObject({ data: [] });
    });
  });

  describe('configs', () => {
    it('are created, read, replaced, patched and deleted with the fields of the wire', async () => {
      const data = { hostname: 'db.example', port: 5432 };
      const clientType = 'f2dd2df0-9c04-4b84-a91e-71437ac229f1';
      const id = await add(configs, { name: 'db', configTypeId: clientType, data, tags: { a: 'b' } });
      const typeLinks = { self: { href: `./config-types/${clientType}` } };
      expect(await read(`${configs}/${id}`)).toEqual({
        ...{ id, createdAt: time, updatedAt: time, tags: { a: 'b' }, _links: { self: { href: `./configs/${id}` } } },
        ...{ name: 'db', configTypeId: clientType, data },
        configType: { _links: typeLinks, entity: 'config-types', id: clientType, name: 'ziti-tunneler-client.v1' },
      });
      expect((await send('PATCH', `${configs}/${id}`, { data: { ...data, port: 1 } })).body).toEqual(empty);
      expect(await read(`${configs}/${id}`)).toMatchObject({ name: 'db', data: { hostname: 'db.example', port: 1 } });
      const put = { name: 'other', configTypeId: 'host.v1', data };
      expect((await send('PUT', `${configs}/${id}`, put)).body).toEqual(empty);
      expect(await read(`${configs}/${id}`)).toMatchObject({ name: 'other', configTypeId: clientType, data, tags: {} });
      expect((await send('PATCH', `${configs}/${id}`, { data, configTypeId: 'no such type' })).status).toBe(200);
      expect((await send('DELETE', `${configs}/${id}`)).body).toEqual(empty);
      expect((await send('DELETE', `${configs}/${id}`)).status).toBe(404);
    });

    it('need a type that exists, by its id', async () => {
      for (const configTypeId of ['no such type', 'host.v1', '']) {
        const body = { name: 'without type', configTypeId, data: {} };
        expect(await refusal('POST', configs, body)).toEqual(invalid('type', 'invalid config type', configTypeId));
      }
      expect(await refusal('POST', configs, { name: 'a', data: {} })).toMatchObject(
        invalid('configTypeId', 'configTypeId in body is required'),
      );
    });

    it('refuse data that do not fit their type, with the path of the member', async () => {
      const host = { protocol: 'tcp', address: 'a', port: 1 };
      const id = await add(configs, { configTypeId: 'NH5p4FpGR', data: host });
      const bodies: [object, string, string][] = [
        [{ ...host, port: 65_536 }, 'port', 'must be <= 65535'],
        [{ ...host, listenOptions: { cost: -1 } }, 'listenOptions.cost', 'must be >= 0'],
        [{ protocol: 'tcp', port: 1 }, '(root)', "must have required property 'address'"],
        [{ ...host, more: 1 }, '(root)', 'must NOT have additional properties: more'],
      ];
      for (const [data, path, message] of bodies) {
        const expected = invalid(path, `${path} is invalid: ${path}: ${message}`);
        expect(await refusal('POST', configs, { name: 'bad', configTypeId: 'NH5p4FpGR', data })).toEqual(expected);
        expect(await refusal('PUT', `${configs}/${id}`, { name: 'bad', data })).toEqual(expected);
        expect(await refusal('PATCH', `${configs}/${id}`, { data })).toEqual(expected);
      }
      expect((await read(`${configs}/${id}`)).data).toEqual(host);
    });

    it('refuse data that are no object', async () => {
      const id = await add(configs, { configTypeId: await add(types, {}), data: {} });
      for (const data of [[], 'text', 1]) {
        const expected = invalid('data', 'invalid type, expected object');
        expect(await refusal('POST', configs, { name: 'bad', configTypeId: 'host.v1', data })).toEqual(expected);
        expect(await refusal('PATCH', `${configs}/${id}`, { data })).toEqual(expected);
      }
      expect(await refusal('POST', configs, { name: 'bad', configTypeId: 'host.v1' })).toMatchObject(
        invalid('data', 'data in body is required'),
      );
    });

    it('refuse too much data without repeating them, and numbers that nobody can store', async () => {
      const [typeId, secret] = [await add(types, {}), 'secret'.repeat(11_000)];
      const tooLong = (field: string) => invalid(field, `${field} in body is longer than 65536 bytes`);
      const large = { name: 'large', configTypeId: typeId, data: { secret }, schema: { type: 'object', secret } };
      expect(await refusal('POST', configs, large)).toEqual(tooLong('data'));
      expect(await refusal('POST', types, large)).toEqual(tooLong('schema'));
      const tags = { name: 'large', configTypeId: typeId, data: {}, tags: { secret } };
      expect(await refusal('POST', configs, tags)).toEqual(tooLong('tags'));
      for (const member of ['"data":{"a":1e309}', '"data":{},"tags":{"a":-1e309}']) {
        const raw = `{"name":"large","configTypeId":"${typeId}",${member}}`;
        const { status, body } = await server.wire('POST', configs, { token, raw });
        expect([status, body.error?.code]).toEqual([400, 'COULD_NOT_PARSE_BODY']);
      }
    });

    it('keep their data when a PATCH sends none, and replace all of them when it sends some', async () => {
      const data = { a: 1, b: { c: 2 }, port: 1 };
      const schema = { ...portSchema, properties: { ...portSchema.properties, b: { type: 'object' } } };
      const typeId = await add(types, { schema });
      const id = await add(configs, { configTypeId: typeId, data });
      // The stored data no longer fit their schema.
      expect(
        (await send('PATCH', `${types}/${typeId}`, { schema: { type: 'object', required: ['host'] } })).status,
      ).toBe(200);
      for (const body of [{}, { name: 'another name' }, { tags: { a: 1 } }, { name: 'a third', data: null }]) {
        expect((await send('PATCH', `${configs}/${id}`, body)).body).toEqual(empty);
        expect((await read(`${configs}/${id}`)).data).toEqual(data);
      }
      expect(await read(`${configs}/${id}`)).toMatchObject({ name: 'a third', tags: { a: 1 } });
      expect((await send('PATCH', `${types}/${typeId}`, { schema })).status).toBe(200);
      const put = { name: 'a third', configTypeId: typeId };
      expect(await refusal('PUT', `${configs}/${id}`, put)).toMatchObject([
        400,
        'COULD_NOT_VALIDATE',
        { field: 'data' },
      ]);
      expect(await refusal('PATCH', `${configs}/${id}`, { data: { b: {} } })).toMatchObject(
        invalid('(root)', expect.any(String)),
      );
      expect((await send('PATCH', `${configs}/${id}`, { name: 'renamed', data: { b: {}, port: 2 } })).status).toBe(200);
      expect(await read(`${configs}/${id}`)).toMatchObject({ name: 'renamed', data: { b: {}, port: 2 } });
    });

    it('may have any data when their type has no schema', async () => {
      const data = { deep: [{ list: [1, null, 'a', { b: false }] }], Name: 1, name: 2 };
      const id = await add(configs, { configTypeId: await add(types, {}), data });
      expect((await read(`${configs}/${id}`)).data).toEqual(data);
    });

    it('stay as they are when the schema of their type changes, and are held to the new one later', async () => {
      const typeId = await add(types, { schema: portSchema });
      const id = await add(configs, { configTypeId: typeId, data: { port: 1 } });
      const schema = { type: 'object', required: ['host'] };
      expect((await send('PATCH', `${types}/${typeId}`, { schema })).status).toBe(200);
      expect((await read(`${configs}/${id}`)).data).toEqual({ port: 1 });
      const expected = invalid('(root)', "(root) is invalid: (root): must have required property 'host'");
      expect(await refusal('PATCH', `${configs}/${id}`, { data: { port: 2 } })).toEqual(expected);
      expect((await send('PATCH', `${configs}/${id}`, { data: { host: 'a' } })).status).toBe(200);
      expect((await send('PATCH', `${types}/${typeId}`, { schema: portSchema })).status).toBe(200);
      expect((await send('PATCH', `${configs}/${id}`, { data: { port: 2 } })).status).toBe(200);
    });

    it('have a name of their own', async () => {
      const configTypeId = await add(types, {});
      await add(configs, { name: 'taken', configTypeId, data: {} });
      expect(await refusal('POST', configs, { name: 'taken', configTypeId, data: {} })).toEqual(
        invalid('name', 'name must be unique', 'taken'),
      );
    });

    it('never stop the controller', async () => {
      const definitions = Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          `d${at}`,
          { allOf: [{ $ref: `#/definitions/d${(at + 1) % 41}` }, { $ref: `#/definitions/d${at + 1}` }] },
        ]),
      );
      const schema = {
        ...{ type: 'object', properties: { a: { $ref: '#/definitions/d0' }, b: { pattern: '^(b+)+$' } } },
        definitions: { ...definitions, d40: {} },
      };
      const configTypeId = await add(types, { schema });
      const start = performance.now();
      const slow = { name: 'slow', configTypeId, data: { a: 1 } };
      const reason = '(root) is invalid: (root): the check takes too long';
      expect(await refusal('POST', configs, slow)).toEqual(invalid('(root)', reason));
      const long = { name: 'slow', configTypeId, data: { b: `${'b'.repeat(50_000)}!` } };
      expect(await refusal('POST', configs, long)).toMatchObject([400, 'COULD_NOT_VALIDATE', { field: 'b' }]);
      expect(performance.now() - start).toBeLessThan(5_000);
    });
  });

  describe('the config types of a sign-in', () => {
    const signIn = async (configTypes: unknown) => {
      const body = { ...adminCredentials, configTypes };
      return (await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body })).body.data
        .configTypes;
    };

    it('are ids or names, and become ids without repeats', async () => {
      const id = await add(types, { name: 'own type' });
      const sent = ['own type', id, 'host.v1', 'NH5p4FpGR', 'no such type'];
      expect((await signIn(sent)).toSorted()).toEqual(['NH5p4FpGR', id].toSorted());
      expect(await signIn([])).toEqual([]);
      expect(await signIn(null)).toEqual([]);
    });

    it('are all when one of them is "all"', async () => {
      expect(await signIn(['host.v1', 'all'])).toEqual(['all']);
      expect(await signIn(['ALL'])).toEqual([]);
    });
  });
});
