import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';

const api = '/edge/management/v1';
const path = '/edge/client/v1/current-api-session/service-updates';
const hostType = 'NH5p4FpGR';
const host = { protocol: 'tcp', address: 'db', port: 5432 };

describe.each(storePairs)('service updates on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  let names = 0;
  const users: { readonly id: string; readonly token: string }[] = [];

  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
    for (const attributes of [['a'], ['b']]) {
      const user = await server.addUser(token);
      await send('PATCH', `/identities/${user.id}`, { roleAttributes: attributes });
      users.push({ id: user.id, token: await server.signIn(user) });
    }
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const send = async (method: string, place: string, body?: unknown) => {
    const {
      status,
      text,
      body: response,
    } = await server.wire(method, api + place, {
      token,
      ...(body === undefined ? {} : { body }),
    });
    expect(status, text).toBeLessThan(300);
    return response.data;
  };
  const add = async (place: string, body: object): Promise<string> => {
    names += 1;
    return (await send('POST', place, { name: `name ${names}`, ...body })).id;
  };
  const addService = (body: object = {}) => add('/services', { encryptionRequired: true, ...body });
  const addPolicy = (body: object) =>
    add('/service-policies', { type: 'Dial', semantic: 'AllOf', serviceRoles: ['#all'], ...body });
  const readAll = () =>
    Promise.all(
      users.map(async (user) => {
        const { status, body, text } = await server.wire('GET', path, { token: user.token });
        expect([status, Object.keys(body.data)], text).toEqual([200, ['lastChangeAt']]);
        return body.data.lastChangeAt as string;
      }),
    );
  /** Whose updates moved with a change, by place. They never go back. */
  const movedBy = async (change: () => Promise<unknown>) => {
    const before = await readAll();
    await change();
    const after = await readAll();
    for (const [at, time] of after.entries()) expect(Date.parse(time)).toBeGreaterThanOrEqual(Date.parse(before[at]!));
    return after.flatMap((time, at) => (time === before[at] ? [] : [at]));
  };

  it('need a full session', async () => {
    expect((await server.wire('GET', path)).status).toBe(401);
  });

  it('stay when the list of services stays: without a policy, without a service, without a right to it', async () => {
    const [one] = users;
    const attributes = (...more: string[]) =>
      movedBy(() => send('PATCH', `/identities/${one!.id}`, { roleAttributes: ['a', ...more] }));
    expect(await attributes('nowhere')).toEqual([]);
    let policy = '';
    const create = async (body: object) => {
      policy = await addPolicy(body);
    };
    // A policy that selects no service.
    expect(await movedBy(() => create({ identityRoles: ['#empty'], serviceRoles: ['#nothing'] }))).toEqual([]);
    expect(await attributes('empty')).toEqual([]);
    const patch = (body: object) => movedBy(() => send('PATCH', `/service-policies/${policy}`, body));
    expect(await patch({ type: 'Bind' })).toEqual([]);
    expect(await patch({ identityRoles: ['#all'] })).toEqual([]);
    expect(await patch({ identityRoles: ['#empty', '#b'], semantic: 'AnyOf' })).toEqual([]);
    // A service that no policy selects, and a config of it that one may not see.
    const service = await addService({ roleAttributes: ['hidden'] });
    const config = await add('/configs', { configTypeId: hostType, data: host });
    const assigned = [{ serviceId: service, configId: config }];
    expect(await movedBy(() => send('POST', `/identities/${one!.id}/service-configs`, assigned))).toEqual([]);
    expect(await movedBy(() => send('PATCH', `/configs/${config}`, { data: { ...host, port: 7 } }))).toEqual([]);
    expect(await movedBy(() => send('POST', '/posture-checks', { name: 'idle', typeId: 'MFA' }))).toEqual([]);
    // It has a service, then none. What happened to others before is not news for who gets the attribute later.
    expect(await attributes()).toEqual([]);
    expect(await patch({ serviceRoles: ['#hidden'] })).toEqual([1]);
    expect(await patch({ serviceRoles: ['#nothing'] })).toEqual([1]);
    expect(await attributes('empty')).toEqual([]);
    expect(await attributes()).toEqual([]);
    expect(await patch({ serviceRoles: ['#hidden'] })).toEqual([1]);
    expect(await attributes('empty')).toEqual([0]);
    expect(await attributes()).toEqual([0]);
    // Others stay when somebody joins them.
    expect(await patch({ identityRoles: ['#empty', '#b', '#a'] })).toEqual([0]);
    expect(await patch({ identityRoles: ['#a'] })).toEqual([1]);
    expect(await movedBy(() => send('DELETE', `/service-policies/${policy}`))).toEqual([0]);
    await send('DELETE', `/services/${service}`);
    await send('DELETE', `/configs/${config}`);
    const { id } = (await send('GET', '/posture-checks?filter=name="idle"'.replaceAll('"', '%22')))[0];
    await send('DELETE', `/posture-checks/${id}`);
  });

  it('stay while another policy gives the same right, and there is no posture check', async () => {
    const [one] = users;
    const service = await addService({ roleAttributes: ['shared'] });
    const policies = [
      await addPolicy({ identityRoles: ['#all'], serviceRoles: ['#shared'] }),
      await addPolicy({ identityRoles: ['#more'], serviceRoles: ['#shared'] }),
      await addPolicy({ identityRoles: ['#host'], serviceRoles: ['#shared'], type: 'Bind' }),
    ];
    const attributes = (...more: string[]) =>
      movedBy(() => send('PATCH', `/identities/${one!.id}`, { roleAttributes: ['a', ...more] }));
    expect(await attributes('more')).toEqual([]);
    expect(await attributes('more', 'host')).toEqual([0]);
    expect(await attributes('host')).toEqual([]);
    expect(await attributes()).toEqual([0]);
    for (const policy of policies) await send('DELETE', `/service-policies/${policy}`);
    await send('DELETE', `/services/${service}`);
  });

  it('move for the identity whose attributes or configs change, and not for others', async () => {
    const [one] = users;
    const service = await addService({ roleAttributes: ['own'] });
    const policies = [
      await addPolicy({ identityRoles: [`@${one!.id}`], serviceRoles: ['#own'] }),
      await addPolicy({ identityRoles: ['#c'], serviceRoles: ['#own'], type: 'Bind' }),
    ];
    const config = await add('/configs', { configTypeId: hostType, data: host });
    const assigned = [{ serviceId: service, configId: config }];
    const configs = `/identities/${one!.id}/service-configs`;
    expect(await movedBy(() => send('PATCH', `/identities/${one!.id}`, { roleAttributes: ['a', 'c'] }))).toEqual([0]);
    expect(await movedBy(() => send('PATCH', `/identities/${one!.id}`, { roleAttributes: ['a', 'c'] }))).toEqual([]);
    expect(await movedBy(() => send('PATCH', `/identities/${one!.id}`, { tags: { a: 1 } }))).toEqual([]);
    expect(await movedBy(() => send('POST', configs, assigned))).toEqual([0]);
    expect(await movedBy(() => send('POST', configs, assigned))).toEqual([]);
    expect(await movedBy(() => send('PATCH', `/configs/${config}`, { data: { ...host, port: 1 } }))).toEqual([0]);
    expect(
      await movedBy(() => send('PATCH', `/configs/${config}`, { name: 'renamed', data: { ...host, port: 1 } })),
    ).toEqual([]);
    expect(await movedBy(() => send('DELETE', configs, assigned))).toEqual([0]);
    expect(await movedBy(() => send('DELETE', configs, assigned))).toEqual([]);
    await send('POST', configs, assigned);
    expect(await movedBy(() => send('DELETE', `/configs/${config}`))).toEqual([0]);
    expect(await movedBy(() => send('PATCH', `/identities/${one!.id}`, { roleAttributes: ['a'] }))).toEqual([0]);
    for (const policy of policies) await send('DELETE', `/service-policies/${policy}`);
  });

  it('move for those whom a policy selects now or selected before', async () => {
    const service = await addService({ roleAttributes: ['x'] });
    let policy = '';
    const patch = (body: object) => movedBy(() => send('PATCH', `/service-policies/${policy}`, body));
    const create = async () => {
      policy = await addPolicy({ identityRoles: ['#a'], serviceRoles: ['#x'] });
    };
    expect(await movedBy(create)).toEqual([0]);
    expect(await patch({ name: 'another name', tags: { a: 1 } })).toEqual([]);
    expect(await patch({ type: 'Bind' })).toEqual([0]);
    expect(await patch({ identityRoles: ['#b'] })).toEqual([0, 1]);
    expect(await patch({ identityRoles: ['#a', '#b'] })).toEqual([1]);
    expect(await patch({ semantic: 'AnyOf' })).toEqual([0, 1]);
    // The roles select the same identities.
    expect(await patch({ identityRoles: ['#all'] })).toEqual([]);
    expect(await patch({ identityRoles: [`@${users[1]!.id}`] })).toEqual([0]);
    // The roles select the same service.
    expect(await patch({ serviceRoles: [`@${service}`] })).toEqual([]);
    expect(await patch({ serviceRoles: [`@${service}`, '#nobody'] })).toEqual([]);
    expect(await movedBy(() => send('DELETE', `/service-policies/${policy}`))).toEqual([1]);
    expect(await movedBy(() => send('PATCH', `/services/${service}`, { tags: { a: 1 } }))).toEqual([]);
    await send('DELETE', `/services/${service}`);
  });

  it('move for those who have a service, before or after its change', async () => {
    await addPolicy({ identityRoles: ['#a'], serviceRoles: ['#x'] });
    await addPolicy({ identityRoles: ['#b'], serviceRoles: ['#y', '#z'] });
    let service = '';
    const patch = (body: object) => movedBy(() => send('PATCH', `/services/${service}`, body));
    const create = async () => {
      service = await addService({ roleAttributes: ['x'] });
    };
    expect(await movedBy(create)).toEqual([0]);
    expect(await patch({ roleAttributes: ['y'] })).toEqual([0]);
    expect(await patch({ name: 'nobody has it' })).toEqual([]);
    expect(await patch({ roleAttributes: ['x', 'y', 'z'] })).toEqual([0, 1]);
    expect(await patch({ maxIdleTimeMillis: 5 })).toEqual([0, 1]);
    expect(await patch({ roleAttributes: ['y', 'z'] })).toEqual([0, 1]);
    const type = await add('/config-types', {});
    const config = await add('/configs', { configTypeId: type, data: {} });
    expect(await patch({ configs: [config] })).toEqual([1]);
    expect(await movedBy(() => send('PATCH', `/configs/${config}`, { data: { a: 1 } }))).toEqual([1]);
    expect(await movedBy(() => send('PATCH', `/config-types/${type}`, { name: 'another', schema: null }))).toEqual([1]);
    expect(await movedBy(() => send('PATCH', `/config-types/${type}`, { tags: { a: 1 }, schema: null }))).toEqual([]);
    expect(await movedBy(() => send('DELETE', `/configs/${config}`))).toEqual([1]);
    expect(await movedBy(() => send('DELETE', `/services/${service}`))).toEqual([1]);
  });

  it('move for those whose policies have a posture check, and for all when the first comes or the last goes', async () => {
    const check = { typeId: 'MFA', roleAttributes: ['p'] };
    const policies = [
      await addPolicy({ identityRoles: ['#a'], postureCheckRoles: ['#p'] }),
      await addPolicy({ identityRoles: ['#b'] }),
    ];
    let [first, second] = ['', ''];
    expect(await movedBy(async () => (first = await add('/posture-checks', check)))).toEqual([0, 1]);
    expect(await movedBy(async () => (second = await add('/posture-checks', check)))).toEqual([0]);
    const patch = (body: object) =>
      movedBy(() => send('PATCH', `/posture-checks/${second}`, { typeId: 'MFA', ...body }));
    expect(await patch({ timeoutSeconds: 5 })).toEqual([0]);
    expect(await patch({ roleAttributes: ['q'] })).toEqual([0]);
    expect(await patch({ timeoutSeconds: 6 })).toEqual([]);
    expect(await movedBy(() => send('DELETE', `/posture-checks/${second}`))).toEqual([]);
    expect(await movedBy(() => send('DELETE', `/posture-checks/${first}`))).toEqual([0, 1]);
    for (const policy of policies) await send('DELETE', `/service-policies/${policy}`);
  });

  it('differ for two changes that follow each other at once', async () => {
    const [one] = users;
    const service = await addService();
    const policy = await addPolicy({ identityRoles: ['#d', '#e'], serviceRoles: [`@${service}`], semantic: 'AnyOf' });
    const other = await addPolicy({ identityRoles: ['#e'], serviceRoles: [`@${service}`], type: 'Bind' });
    const times = await readAll();
    for (const roleAttributes of [['a', 'd'], ['a', 'e'], ['a']]) {
      await send('PATCH', `/identities/${one!.id}`, { roleAttributes });
      times.push((await readAll())[0]!);
    }
    const own = times.filter((_, at) => at !== 1);
    expect(own).toEqual([...new Set(own)].toSorted());
    for (const id of [policy, other]) await send('DELETE', `/service-policies/${id}`);
    await send('DELETE', `/services/${service}`);
  });

  it('are the same for all who ask at once after a change', async () => {
    const service = await addService();
    const policy = await addPolicy({ identityRoles: ['#a'], serviceRoles: [`@${service}`] });
    const [before] = await readAll();
    await send('PATCH', `/services/${service}`, { tags: { a: 1 } });
    const all = await Promise.all(Array.from({ length: 40 }, readAll));
    expect(new Set(all.map(([one]) => one)).size).toBe(1);
    expect(all[0]![0]).not.toBe(before);
    await send('DELETE', `/service-policies/${policy}`);
  });
});
