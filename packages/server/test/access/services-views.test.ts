import type { EdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';

const host = { protocol: 'tcp', address: 'db', port: 5432 };
const dummy = { policyId: 'dummy dial policy: no posture checks defined', policyType: 'Dial', isPassing: true };

describe.each(storePairs)('services as somebody sees them on $stores', ({ open }) => {
  let server: TestController;
  let edge: EdgeClient;
  let names = 0;
  const name = () => `name ${++names}`;
  beforeAll(async () => {
    server = await startController(await open());
    edge = createEdgeClient(server.url, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const addService = async (more: object = {}) =>
    (await edge.management.services.create({ name: name(), encryptionRequired: true, ...more })).id;
  const addConfig = async (data: object = host, configTypeId = 'NH5p4FpGR') =>
    (await edge.management.configs.create({ name: name(), configTypeId, data: { ...data } })).id;
  const addUser = async () => {
    const user = await server.addUser(await server.signIn());
    const client = createEdgeClient(server.url, { caFile: server.caFile });
    await client.signIn.password(user);
    return { ...user, client };
  };
  const allow = async (identity: string, service: string, type: 'Dial' | 'Bind' = 'Dial') => {
    const roles = { identityRoles: [`@${identity}`], serviceRoles: [`@${service}`] };
    return (await edge.management.servicePolicies.create({ name: name(), type, semantic: 'AnyOf', ...roles })).id;
  };

  it('asIdentity lists what this identity may use, by its id or name, with its permissions and configs', async () => {
    const [own, assigned] = [await addConfig(), await addConfig({ ...host, port: 9 })];
    const [db, mail] = [await addService({ configs: [own], roleAttributes: ['seen'] }), await addService()];
    const user = await addUser();
    await allow(user.id, db);
    await edge.management.identities.assignServiceConfigs(user.id, [{ serviceId: db, configId: assigned }]);
    const { services } = edge.management;
    for (const asIdentity of [user.id, user.username]) {
      const { data, meta } = await services.list({ asIdentity, configTypes: ['host.v1'] });
      expect(meta.pagination?.totalCount).toBe(1);
      expect(data).toMatchObject([
        { id: db, permissions: ['Dial'], config: { 'host.v1': { ...host, port: 9 } }, postureQueries: [dummy] },
      ]);
    }
    expect(await user.client.client.services.list({ configTypes: ['all'] })).toEqual(
      await services.list({ asIdentity: user.id, configTypes: ['all'] }),
    );
    const of = { asIdentity: user.id };
    expect((await services.list({ ...of, filter: `id = "${mail}"` })).data).toEqual([]);
    expect((await services.list({ ...of, roleFilter: ['#seen'] })).data).toMatchObject([{ id: db }]);
    expect((await services.list({ ...of, roleFilter: ['#unseen'] })).data).toEqual([]);
    const all = await services.list({ limit: -1, configTypes: ['host.v1'], filter: `id = "${db}"` });
    expect(all.data).toMatchObject([{ permissions: ['Invalid'], config: { 'host.v1': host } }]);
    // The view belongs to one request.
    expect(await services.get(db)).toMatchObject({ permissions: ['Invalid'], config: {} });
  });

  it('asIdentity prefers an id to a name, and refuses an unknown identity with 404', async () => {
    const [user, service] = [await addUser(), await addService()];
    await allow(user.id, service);
    await edge.management.identities.create({ name: user.id, type: 'User', isAdmin: false });
    const { services } = edge.management;
    expect((await services.list({ asIdentity: user.id })).data).toMatchObject([{ id: service }]);
    for (const asIdentity of ['nobody', `${user.id}#`, "' or 1=1 --"]) {
      await expect(services.list({ asIdentity })).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
    const { id } = await edge.management.identities.create({ name: name(), type: 'User', isAdmin: true });
    expect((await services.list({ asIdentity: id })).data).toEqual([]);
    await edge.management.identities.delete(id);
    await expect(services.list({ asIdentity: id })).rejects.toMatchObject({ status: 404 });
    const long = await server.wire('GET', `/edge/management/v1/services?asIdentity=${'a'.repeat(501)}`, {
      token: await server.signIn(),
    });
    expect([long.status, long.body.error.cause.field]).toEqual([400, 'asIdentity']);
  });

  it('configTypes takes the place of what the session asked for; unknown names are ignored', async () => {
    const configs = [await addConfig(), await addConfig({ interfaces: ['a'] }, 'interfaces.v1')];
    const [user, id] = [await addUser(), await addService({ configs })];
    await allow(user.id, id);
    const shown = async (...configTypes: string[]) => {
      const { data } = await user.client.client.services.list({ configTypes });
      return data[0]?.config;
    };
    const other = { 'interfaces.v1': { interfaces: ['a'] } };
    expect(await shown()).toEqual({});
    expect(await shown('nope')).toEqual({});
    expect(await shown('interfaces.v1', 'nope')).toEqual(other);
    expect(await shown('NH5p4FpGR')).toEqual({ 'host.v1': host });
    expect(await shown('all', 'nope')).toEqual({ 'host.v1': host, ...other });
    await user.client.signIn.password({ ...user, configTypes: ['host.v1'] });
    expect(await shown()).toEqual({ 'host.v1': host });
    expect(await shown('interfaces.v1')).toEqual(other);
    expect(await shown('nope')).toEqual({});
    const { data } = await user.client.client.services.list({ roleFilter: ['nope'], roleSemantic: 'nope' });
    expect(data).toMatchObject([{ id }]);
  });

  it('configs for routers are not assigned to identities, also beside others', async () => {
    const type = await edge.management.configTypes.create({ name: name(), target: 'router' });
    const [wrong, right] = [await addConfig({}, type.id), await addConfig()];
    const [user, serviceId] = [await addUser(), await addService()];
    const { assignServiceConfigs, serviceConfigs } = edge.management.identities;
    const both = [right, wrong].map((configId) => ({ serviceId, configId }));
    const refused = { status: 400, code: 'COULD_NOT_VALIDATE', cause: { field: 'configId', value: wrong } };
    await expect(assignServiceConfigs(user.id, both)).rejects.toMatchObject(refused);
    expect((await serviceConfigs(user.id)).data).toEqual([]);
    await expect(assignServiceConfigs('nobody', both)).rejects.toMatchObject({ status: 404 });
  });

  it('the policy advice says what an identity may do with a service, and leaves out what it may not', async () => {
    const [user, service] = [await addUser(), await addService()];
    const { policyAdvice } = edge.management.identities;
    const nothing = {
      ...{ identityId: user.id, serviceId: service, commonRouters: null },
      identity: expect.objectContaining({ id: user.id, entity: 'identities', name: user.username }),
      service: expect.objectContaining({ id: service, entity: 'services' }),
    };
    expect(await policyAdvice(user.id, service)).toEqual(nothing);
    const dial = await allow(user.id, service);
    expect(await policyAdvice(user.id, service)).toEqual({ ...nothing, isDialAllowed: true });
    await allow(user.id, service, 'Bind');
    expect(await policyAdvice(user.id, service)).toEqual({ ...nothing, isDialAllowed: true, isBindAllowed: true });
    await edge.management.servicePolicies.delete(dial);
    expect(await policyAdvice(user.id, service)).toEqual({ ...nothing, isBindAllowed: true });
    await expect(policyAdvice('nobody', service)).rejects.toMatchObject({ status: 404 });
    await expect(policyAdvice(user.id, 'nothing')).rejects.toMatchObject({ status: 404 });
    const path = `/edge/management/v1/identities/${user.id}/policy-advice/${service}`;
    expect((await server.wire('GET', path, { token: await server.signIn() })).body.meta).toBeNull();
  });

  it('the policy advice counts the edge routers of both, and names those that they share', async () => {
    const [user, service] = [await addUser(), await addService()];
    const { edgeRouters, edgeRouterPolicies, serviceEdgeRouterPolicies, identities } = edge.management;
    const routers: string[] = [];
    for (const router of ['z advised', 'a advised', 'm advised']) {
      routers.push((await edgeRouters.create({ name: router })).id);
    }
    const [z, a, m] = routers;
    const advice = async () => {
      const { identity: _, service: __, ...shown } = await identities.policyAdvice(user.id, service);
      return shown;
    };
    const ids = { identityId: user.id, serviceId: service };
    expect(await advice()).toEqual({ ...ids, commonRouters: null });
    const rolesOf = (...members: (string | undefined)[]) => members.map((id) => `@${id}`);
    const own = { name: name(), semantic: 'AnyOf' as const, identityRoles: rolesOf(user.id) };
    const policy = await edgeRouterPolicies.create({ ...own, edgeRouterRoles: rolesOf(z, m) });
    expect(await advice()).toEqual({ ...ids, identityRouterCount: 2, commonRouters: null });
    const reach = { name: name(), semantic: 'AnyOf' as const, serviceRoles: rolesOf(service) };
    const { id } = await serviceEdgeRouterPolicies.create({ ...reach, edgeRouterRoles: rolesOf(a) });
    const counts = { ...ids, identityRouterCount: 2, serviceRouterCount: 1 };
    expect(await advice()).toEqual({ ...counts, commonRouters: null });
    await serviceEdgeRouterPolicies.patch(id, { edgeRouterRoles: rolesOf(z, a, m) });
    const common = ['m advised', 'z advised'].map((router) =>
      expect.objectContaining({ name: router, isOnline: false }),
    );
    expect(await advice()).toEqual({ ...counts, serviceRouterCount: 3, commonRouters: common });
    await edgeRouterPolicies.delete(policy.id);
    expect(await advice()).toEqual({ ...ids, serviceRouterCount: 3, commonRouters: null });
  });

  it('nothing is known of the devices of an identity that has not signed in, also of an unknown one', async () => {
    const none = { postureCheckId: '', timedOut: false, lastUpdatedAt: null };
    const { identities } = edge.management;
    const { id: newcomer } = await server.addUser(await server.signIn());
    for (const id of [newcomer, 'nobody']) {
      expect(await identities.postureData(id)).toEqual({
        mac: { ...none, addresses: null },
        domain: { ...none, domain: null },
        os: { ...none, type: null, version: null, build: null },
        ...{ processes: [], apiSessionPostureData: {} },
      });
      expect(await identities.failedServiceRequests(id)).toEqual({ data: [], meta: {} });
    }
  });
});
