import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from '../support/calls.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';

const api = '/edge/management/v1';
const terminators = `${api}/terminators`;
const empty = { data: {}, meta: {} };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe.each(storePairs)('terminators on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  let names = 0;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const { send, read } = callsOf(() => ({ server, token }));
  const add = async (path: string, body: object) => {
    names += 1;
    const created = await send('POST', `${api}/${path}`, { name: `name ${names}`, ...body });
    expect(created.status, created.text).toBe(201);
    return created.body.data.id as string;
  };
  const addService = (body: object = {}) => add('services', { encryptionRequired: true, ...body });
  const addRouter = (body: object = {}) => add('transit-routers', body);
  const idsOf = async (path: string) => (await read(path)).map(({ id }: { id: string }) => id).toSorted();
  const transport = { binding: 'transport', address: 'tcp:db:5432' };

  it('are created, read, replaced and deleted with the fields of the wire', async () => {
    const [service, router] = [await addService({ name: 'db' }), await addRouter({ name: 'east' })];
    const sent = { ...transport, identity: 'replica', cost: 65535, precedence: 'required', tags: { a: 1 } };
    const id = await add('terminators', { ...sent, service, router, identitySecret: 'c2VjcmV0' });
    const one = `${terminators}/${id}`;
    const full = {
      ...{ id, createdAt: time, updatedAt: time, ...sent, dynamicCost: 0, serviceId: service, routerId: router },
      service: {
        ...{ id: service, entity: 'services', name: 'db' },
        _links: expect.objectContaining({ self: { href: `./services/${service}` } }),
      },
      router: {
        ...{ id: router, entity: 'transit-routers', name: 'east' },
        _links: { self: { href: `./transit-routers/${router}` } },
      },
      _links: { self: { href: `./terminators/${id}` } },
    };
    expect(await read(one)).toEqual(full);
    const west = await addRouter({ name: 'west' });
    const replaced = { ...transport, address: 'tcp:db:5433', service, router: west };
    expect((await send('PUT', one, replaced)).body).toEqual(empty);
    expect(await read(one)).toMatchObject({
      ...{ address: 'tcp:db:5433', identity: 'replica', cost: 0, precedence: 'default', tags: {}, routerId: west },
    });
    expect((await send('DELETE', one)).body).toEqual(empty);
    expect((await send('GET', one)).status).toBe(404);
  });

  it('keep their service and identity, whatever a change sends', async () => {
    const [service, other, router] = [await addService(), await addService(), await addRouter()];
    const id = await add('terminators', { ...transport, service, router });
    const one = `${terminators}/${id}`;
    for (const sent of [{ service: other }, { service: 'nope' }, { service: 'nope', identity: 'x' }]) {
      expect((await send('PUT', one, { ...transport, router, ...sent })).body).toEqual(empty);
      expect((await send('PATCH', one, sent)).body).toEqual(empty);
      expect(await read(one)).toMatchObject({ serviceId: service, identity: '' });
    }
    expect((await send('PATCH', one, { cost: 5, precedence: 'failed' })).body).toEqual(empty);
    expect(await read(one)).toMatchObject({ cost: 5, precedence: 'failed', routerId: router });
  });

  it('refuse unknown services and routers, and values out of their bounds', async () => {
    const [service, router] = [await addService(), await addRouter()];
    const sent = { ...transport, service, router };
    const id = await add('terminators', sent);
    const refusal = async (method: string, path: string, body: object) => {
      const { status, body: refused } = await send(method, path, body);
      return [status, refused.error?.code, refused.error?.cause?.field ?? refused.error?.cause?.message];
    };
    for (const [body, message] of [
      [{ service: 'nope' }, 'service with id nope not found'],
      [{ router: 'nope' }, 'router with id nope not found'],
      [{ router: '' }, 'router with id  not found'],
    ] as const) {
      expect(await refusal('POST', terminators, { ...sent, ...body })).toEqual([404, 'NOT_FOUND', message]);
    }
    for (const [method, body] of [
      ['PUT', { ...sent, router: 'nope' }],
      ['PATCH', { router: 'nope' }],
    ] as const) {
      const unknown = [404, 'NOT_FOUND', 'router with id nope not found'];
      expect(await refusal(method, `${terminators}/${id}`, body)).toEqual(unknown);
    }
    for (const [body, field] of [
      [{ service: undefined }, 'service'],
      [{ router: undefined }, 'router'],
      [{ binding: undefined }, 'binding'],
      [{ address: undefined }, 'address'],
      [{ cost: -1 }, 'cost'],
      [{ cost: 65536 }, 'cost'],
      [{ precedence: 'Default' }, 'precedence'],
      [{ address: 'x'.repeat(501) }, 'address'],
      [{ identitySecret: 'no base64!' }, 'identitySecret'],
    ] as const) {
      const refused = [400, 'COULD_NOT_VALIDATE', field];
      expect(await refusal('POST', terminators, { ...sent, ...body })).toEqual(refused);
    }
  });

  it('are found by what they lead to, and disappear with their service or router', async () => {
    const [service, router] = [await addService({ name: 'gone' }), await addRouter({ name: 'gone router' })];
    const [other, kept] = [await addService(), await addRouter()];
    const first = await add('terminators', { ...transport, service, router: kept, identity: 'found' });
    const second = await add('terminators', { ...transport, service: other, router, identity: 'other' });
    const third = await add('terminators', { ...transport, service: other, router: kept });
    for (const [filter, ids] of [
      [`service = "${service}"`, [first]],
      ['service.name = "gone"', [first]],
      [`router = "${router}"`, [second]],
      ['router.name = "gone router"', [second]],
      ['identity = "found"', [first]],
      ['instanceId = "found"', [first]],
      ['hostId = "x"', []],
      ['address contains "5432" and binding = "transport" and service = "x"', []],
    ] as const) {
      expect(await idsOf(`${terminators}?filter=${filter}`)).toEqual(ids);
    }
    expect(await idsOf(`${api}/services/${other}/terminators`)).toEqual([second, third].toSorted());
    expect((await send('DELETE', `${api}/services/${service}`)).status).toBe(200);
    expect((await send('DELETE', `${api}/transit-routers/${router}`)).status).toBe(200);
    for (const [id, status] of [
      [first, 404],
      [second, 404],
      [third, 200],
    ] as const) {
      expect((await send('GET', `${terminators}/${id}`)).status).toBe(status);
    }
  });

  it('are never left without their service or router by changes at the same time', async () => {
    const [service, router] = [await addService(), await addRouter()];
    const sent = { ...transport, service, router };
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => send('POST', terminators, sent)),
      send('DELETE', `${api}/services/${service}`),
      ...Array.from({ length: 6 }, () => send('POST', terminators, sent)),
      send('DELETE', `${api}/transit-routers/${router}`),
    ]);
    expect(answers.filter(({ status }) => ![200, 201, 404].includes(status)).map(({ text }) => text)).toEqual([]);
    expect(await idsOf(`${terminators}?filter=service = "${service}" or router = "${router}"`)).toEqual([]);
  });
});
