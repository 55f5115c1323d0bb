import { createEdgeClient } from '@edge-controller/sdk/node';
import { decodeJwt as claimsOf } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from '../support/calls.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';

const api = '/edge/management/v1';
const edge = `${api}/edge-routers`;
const transit = `${api}/transit-routers`;
const routers = `${api}/routers`;
const empty = { data: {}, meta: {} };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

describe.each(storePairs)('routers on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  let names = 0;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const { send, read, refusal } = callsOf(() => ({ server, token }));
  const add = async (path: string, body: object = {}) => {
    names += 1;
    const created = await send('POST', path, { name: `router ${names}`, ...body });
    expect(created.status, created.text).toBe(201);
    return created.body.data.id as string;
  };
  const addConfig = async (target: 'router' | 'service') => {
    const configTypeId = await add(`${api}/config-types`, { target });
    return await add(`${api}/configs`, { configTypeId, data: {} });
  };

  describe('edge routers', () => {
    it('are created, read, replaced, patched and deleted with the fields of the wire', async () => {
      const config = await addConfig('router');
      const sent = {
        ...{ name: 'lobby', roleAttributes: ['b', 'a'], cost: 7, noTraversal: true, disabled: true },
        ...{ appData: { floor: 3 }, tags: { a: 1 }, configs: [config], ctrlChanListeners: { 'tls:ctrl:6262': ['x'] } },
      };
      const created = await send('POST', edge, sent);
      const { id } = created.body.data;
      expect(created.body).toEqual({
        data: { id, _links: { self: { href: `./edge-routers/${id}` } } },
        meta: {},
      });
      expect(id).toMatch(/^[\w.-]{9,10}$/);
      const base = {
        ...{ id, createdAt: time, updatedAt: time, isVerified: false, isOnline: false, isTunnelerEnabled: false },
        ...{ unverifiedFingerprint: null, unverifiedCertPem: null, certPem: null, interfaces: null, hostname: '' },
        ...{ supportedProtocols: {}, syncStatus: 'SYNC_UNKNOWN' },
        versionInfo: { version: '', revision: '', buildDate: '', os: '', arch: '' },
        ...{ enrollmentToken: uuid, enrollmentJwt: expect.any(String) },
        ...{ enrollmentCreatedAt: time, enrollmentExpiresAt: time },
        _links: {
          self: { href: `./edge-routers/${id}` },
          'edge-router-policies': { href: `./edge-routers/${id}/edge-router-policies` },
        },
      };
      const first = await read(`${edge}/${id}`);
      expect(first).toEqual({ ...base, ...sent, roleAttributes: ['a', 'b'] });
      const lifetime = Date.parse(first.enrollmentExpiresAt) - Date.parse(first.enrollmentCreatedAt);
      expect(Math.round(lifetime / 1000)).toBe(3 * 3_600);
      const { aud, ...claims } = claimsOf(first.enrollmentJwt);
      expect(claims).toMatchObject({ em: 'erott', sub: id, jti: first.enrollmentToken, ctrls: null });
      expect(claims.iss).not.toMatch(/\/$/);

      expect((await send('PUT', `${edge}/${id}`, { name: 'hall' })).body).toEqual(empty);
      const reset = {
        ...{ name: 'hall', roleAttributes: null, cost: 0, noTraversal: false, disabled: false, appData: {}, tags: {} },
        ...{ configs: null, ctrlChanListeners: null },
      };
      const { enrollmentToken, enrollmentJwt } = first;
      expect(await read(`${edge}/${id}`)).toEqual({ ...base, ...reset, enrollmentToken, enrollmentJwt });
      expect((await send('PATCH', `${edge}/${id}`, { cost: 65535, name: null })).body).toEqual(empty);
      expect(await read(`${edge}/${id}`)).toMatchObject({ name: 'hall', cost: 65535, enrollmentToken });
      expect((await send('DELETE', `${edge}/${id}`)).body).toEqual(empty);
      for (const path of [edge, transit]) expect((await send('GET', `${path}/${id}`)).status).toBe(404);
      expect((await send('DELETE', `${edge}/${id}`)).status).toBe(404);
      expect((await read(`${api}/enrollments?filter=edgeRouter="${id}"`)).length).toBe(0);
    });

    it.each([
      [{}, [400, 'COULD_NOT_VALIDATE', 'name']],
      [{ name: '' }, [400, 'COULD_NOT_VALIDATE', 'name']],
      [{ cost: 65536 }, [400, 'COULD_NOT_VALIDATE', 'cost']],
      [{ cost: -1 }, [400, 'COULD_NOT_VALIDATE', 'cost']],
      [{ roleAttributes: ['#a'] }, [400, 'COULD_NOT_VALIDATE', 'roleAttributes']],
      [{ appData: { nested: { a: 1 } } }, [400, 'COULD_NOT_VALIDATE', 'appData.nested']],
      [{ appData: { list: [1] } }, [400, 'COULD_NOT_VALIDATE', 'appData.list']],
      [{ configs: ['nobody'] }, [404, 'NOT_FOUND', 'configs with id nobody not found']],
      [{ isTunnelerEnabled: 'yes' }, [400, 'COULD_NOT_PARSE_BODY', expect.anything()]],
    ])('refuse the body %j', async (body, expected) => {
      names += 1;
      const name = Object.keys(body).length === 0 ? {} : { name: `refused ${names}` };
      expect(await refusal('POST', edge, { ...name, ...body })).toEqual(expected);
    });

    it('take only configs for routers, one of each type', async () => {
      const wrong = await addConfig('service');
      const expected = [400, 'COULD_NOT_VALIDATE', 'configs'];
      for (const path of [edge, transit, routers]) {
        expect(await refusal('POST', path, { name: 'configured', configs: [wrong] })).toEqual(expected);
        const id = await add(path);
        expect(await refusal('PATCH', `${path}/${id}`, { configs: [wrong] })).toEqual(expected);
        expect((await send('PATCH', `${path}/${id}`, { configs: [await addConfig('router')] })).status).toBe(200);
      }
    });

    it('are never connected, also for a filter', async () => {
      const id = await add(edge);
      for (const symbol of ['connected', 'online']) {
        expect((await read(`${edge}?filter=id="${id}" and ${symbol}=false`)).length).toBe(1);
        expect((await read(`${edge}?filter=${symbol}=true`)).length).toBe(0);
      }
    });

    it('get a new enrollment by `re-enroll`, and the former token is worth nothing', async () => {
      const id = await add(edge);
      const before = await read(`${edge}/${id}`);
      expect((await send('POST', `${edge}/${id}/re-enroll`)).body).toEqual(empty);
      const after = await read(`${edge}/${id}`);
      expect(after.enrollmentToken).not.toBe(before.enrollmentToken);
      expect(claimsOf(after.enrollmentJwt).jti).toBe(after.enrollmentToken);
      expect((await read(`${api}/enrollments?filter=edgeRouter="${id}"`)).length).toBe(1);
      const all = await Promise.all(Array.from({ length: 8 }, () => send('POST', `${edge}/${id}/re-enroll`)));
      expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
      expect((await read(`${api}/enrollments?filter=edgeRouter="${id}"`)).length).toBe(1);
      expect((await send('POST', `${edge}/nobody/re-enroll`)).status).toBe(404);
      const transitId = await add(transit);
      expect((await send('POST', `${edge}/${transitId}/re-enroll`)).status).toBe(404);
    });

    it('show the listeners of changes no secret', async () => {
      const seen: unknown[] = [];
      const stop = server.controller.events.on(['entity.created', 'entity.updated', 'entity.deleted'], (event) =>
        seen.push(event),
      );
      const id = await add(edge, { isTunnelerEnabled: true });
      const { enrollmentToken, enrollmentJwt } = await read(`${edge}/${id}`);
      await send('DELETE', `${edge}/${id}`);
      stop();
      const text = JSON.stringify(seen);
      expect(text).toContain(id);
      for (const secret of [enrollmentToken, enrollmentJwt]) expect(text).not.toContain(secret);
    });
  });

  describe('transit routers', () => {
    it('are the same on both paths, and their links lead to one of them', async () => {
      const created = await send('POST', routers, { name: 'core', cost: 3, tags: { a: true } });
      const { id } = created.body.data;
      const self = { href: `./transit-routers/${id}` };
      expect([created.status, created.body.data._links]).toEqual([201, { self }]);
      const shown = await read(`${routers}/${id}`);
      expect(shown).toEqual({
        ...{ id, name: 'core', createdAt: time, updatedAt: time, tags: { a: true }, _links: { self } },
        ...{ cost: 3, noTraversal: false, disabled: false, configs: null, ctrlChanListeners: null },
        ...{ isVerified: false, isOnline: false, fingerprint: null },
        ...{ unverifiedFingerprint: null, unverifiedCertPem: null },
        ...{ interfaces: null, enrollmentToken: uuid, enrollmentJwt: expect.any(String) },
        ...{ enrollmentCreatedAt: time, enrollmentExpiresAt: time },
      });
      expect(await read(`${transit}/${id}`)).toEqual(shown);
      expect(claimsOf(shown.enrollmentJwt)).toMatchObject({ em: 'trott', sub: id, jti: shown.enrollmentToken });
      expect((await send('PUT', `${routers}/${id}`, { name: 'core 2' })).body).toEqual(empty);
      expect((await send('PATCH', `${transit}/${id}`, { cost: 9 })).body).toEqual(empty);
      expect(await read(`${routers}?filter=id="${id}"`)).toMatchObject([{ name: 'core 2', cost: 9, tags: {} }]);
      expect((await send('DELETE', `${routers}/${id}`)).body).toEqual(empty);
      expect((await send('GET', `${transit}/${id}`)).status).toBe(404);
      expect((await send('GET', `${edge}/${id}`)).status).toBe(404);
    });

    it('have the edge routers among them, which nobody can change there', async () => {
      const id = await add(edge, { name: 'both', cost: 4, tags: { a: 1 } });
      for (const path of [transit, routers]) {
        expect(await read(`${path}?filter=id="${id}"`)).toMatchObject([{ name: 'both', cost: 4, tags: { a: 1 } }]);
        const shown = await read(`${path}/${id}`);
        expect(shown._links.self.href).toBe(`./transit-routers/${id}`);
        for (const member of ['enrollmentToken', 'enrollmentJwt', 'roleAttributes', 'appData'])
          expect(shown).not.toHaveProperty(member);
        const expected = [409, 'CAN_NOT_UPDATE_ROUTER', undefined];
        expect(await refusal('PUT', `${path}/${id}`, { name: 'other' })).toEqual(expected);
        expect(await refusal('PATCH', `${path}/${id}`, { cost: 1 })).toEqual(expected);
        expect(await refusal('DELETE', `${path}/${id}`)).toEqual(expected);
      }
      const configs = [await addConfig('router')];
      await send('PATCH', `${edge}/${id}`, { name: 'renamed', noTraversal: true, configs });
      expect(await read(`${transit}/${id}`)).toMatchObject({ name: 'renamed', cost: 4, noTraversal: true, configs });
    });

    it('have names that no edge router has', async () => {
      const taken = [400, 'COULD_NOT_VALIDATE', 'name'];
      await add(edge, { name: 'an edge router' });
      const id = await add(transit, { name: 'a transit router' });
      expect(await refusal('POST', transit, { name: 'an edge router' })).toEqual(taken);
      expect(await refusal('POST', edge, { name: 'a transit router' })).toEqual(taken);
      expect(await refusal('PATCH', `${transit}/${id}`, { name: 'an edge router' })).toEqual(taken);
      expect(await refusal('POST', edge, { name: 'an edge router' })).toEqual(taken);
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, (_, at) => send('POST', at % 2 ? edge : transit, { name: 'contested' })),
      );
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400, 400]);
    });

    it('are what terminators refer to, edge routers, too', async () => {
      const serviceId = await add(`${api}/services`, { encryptionRequired: false });
      const routerId = await add(edge);
      const body = { service: serviceId, router: routerId, binding: 'transport', address: 'tcp:db:1' };
      const { id } = (await send('POST', `${api}/terminators`, body)).body.data;
      const shown = await read(`${api}/terminators/${id}`);
      expect(shown.router).toMatchObject({ id: routerId, _links: { self: { href: `./transit-routers/${routerId}` } } });
      await send('DELETE', `${edge}/${routerId}`);
      expect((await send('GET', `${api}/terminators/${id}`)).status).toBe(404);
    });
  });

  describe('the identity of an edge router', () => {
    const identity = (id: string) => `${api}/identities/${id}`;
    const policy = (id: string) => `${api}/edge-router-policies/${id}`;

    it('exists while the router may dial and host services, with a policy of its own', async () => {
      const id = await add(edge, { name: 'tunneler', isTunnelerEnabled: true, roleAttributes: ['a'] });
      expect(await read(identity(id))).toMatchObject({
        ...{ id, name: 'tunneler', typeId: 'Router', roleAttributes: [], isAdmin: false, authPolicyId: 'default' },
        ...{ type: { id: 'Router' }, authenticators: {}, enrollment: {} },
      });
      expect(await read(policy(id))).toMatchObject({
        ...{ id, name: `edge-router-${id}-system`, isSystem: true, semantic: 'AnyOf' },
        ...{ identityRoles: [`@${id}`], edgeRouterRoles: [`@${id}`] },
      });
      expect(await read(`${identity(id)}/edge-routers`)).toMatchObject([{ id }]);
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const enrollment = { method: 'ott', identityId: id, expiresAt };
      expect((await send('POST', `${api}/enrollments`, enrollment)).status).toBe(201);
      await send('PATCH', `${edge}/${id}`, { name: 'renamed tunneler' });
      expect(await read(identity(id))).toMatchObject({ name: 'renamed tunneler' });
      expect(await read(policy(id))).toMatchObject({ name: `edge-router-${id}-system` });
      // PUT without the member: its default is false.
      expect((await send('PUT', `${edge}/${id}`, { name: 'renamed tunneler' })).status).toBe(200);
      for (const path of [identity(id), policy(id)]) expect((await send('GET', path)).status).toBe(404);
      expect((await send('PATCH', `${edge}/${id}`, { isTunnelerEnabled: true })).status).toBe(200);
      expect(await read(identity(id))).toMatchObject({ name: 'renamed tunneler', typeId: 'Router' });
      expect((await send('DELETE', `${edge}/${id}`)).status).toBe(200);
      for (const path of [identity(id), policy(id)]) expect((await send('GET', path)).status).toBe(404);
    });

    it('cannot be renamed, deleted, or made another kind of identity', async () => {
      const id = await add(edge, { name: 'fixed', isTunnelerEnabled: true });
      const [isAdmin, type] = [false, 'Router'];
      const path = identity(id);
      expect(await refusal('PUT', path, { name: 'x', type, isAdmin })).toEqual([400, 'COULD_NOT_VALIDATE', 'name']);
      expect(await refusal('PATCH', path, { name: 'x' })).toEqual([400, 'COULD_NOT_VALIDATE', 'name']);
      expect(await refusal('PUT', path, { name: 'fixed', type: 'User', isAdmin })).toEqual([
        ...[400, 'COULD_NOT_VALIDATE', 'typeId'],
      ]);
      expect(await refusal('DELETE', path)).toEqual([
        ...[400, 'ENTITY_CAN_NOT_BE_DELETED'],
        'cannot delete router identity fixed until associated router is deleted',
      ]);
      expect((await send('PUT', path, { name: 'fixed', type, isAdmin, roleAttributes: ['r'] })).status).toBe(200);
      expect((await send('PATCH', path, { name: 'fixed', type: 'User', tags: { a: 1 } })).status).toBe(200);
      expect(await read(path)).toMatchObject({
        name: 'fixed',
        typeId: 'Router',
        roleAttributes: ['r'],
        tags: { a: 1 },
      });
      const { id: other } = await server.addUser(token);
      const body = { name: 'no router', type, isAdmin };
      expect(await refusal('PUT', identity(other), body)).toEqual([400, 'COULD_NOT_VALIDATE', 'typeId']);
    });

    it('has a name that no other identity may have', async () => {
      const taken = [400, 'COULD_NOT_VALIDATE', 'name'];
      const body = { name: 'somebody', type: 'User', isAdmin: false };
      expect((await send('POST', `${api}/identities`, body)).status).toBe(201);
      expect(await refusal('POST', edge, { name: 'somebody', isTunnelerEnabled: true })).toEqual(taken);
      expect(await read(`${transit}?filter=name="somebody"`)).toEqual([]);
      const plain = await add(edge, { name: 'somebody' });
      expect(await refusal('PATCH', `${edge}/${plain}`, { isTunnelerEnabled: true })).toEqual(taken);
      const id = await add(edge, { isTunnelerEnabled: true });
      expect(await refusal('PATCH', `${edge}/${id}`, { name: 'another', isTunnelerEnabled: null })).toEqual([
        ...[200, undefined, undefined],
      ]);
      expect((await send('POST', `${api}/identities`, { ...body, name: 'third' })).status).toBe(201);
      expect(await refusal('PATCH', `${edge}/${id}`, { name: 'third' })).toEqual(taken);
    });
  });

  it('have enrollments among all others', async () => {
    const edgeRouterId = await add(edge);
    const transitRouterId = await add(transit);
    const [ofEdge] = await read(`${api}/enrollments?filter=edgeRouter="${edgeRouterId}"`);
    const { enrollmentToken } = await read(`${edge}/${edgeRouterId}`);
    expect(ofEdge).toMatchObject({
      method: 'erott',
      edgeRouterId,
      token: enrollmentToken,
      edgeRouter: { id: edgeRouterId },
    });
    for (const member of ['identityId', 'identity', 'transitRouterId', 'caId', 'username'])
      expect(ofEdge).not.toHaveProperty(member);
    const [ofTransit] = await read(`${api}/enrollments?filter=transitRouter="${transitRouterId}"`);
    expect(ofTransit).toMatchObject({
      ...{ method: 'trott', transitRouterId },
      transitRouter: { id: transitRouterId, entity: 'transit-routers' },
    });
    const { id } = ofEdge;
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    expect((await send('POST', `${api}/enrollments/${id}/refresh`, { expiresAt })).status).toBe(200);
    const refreshed = await read(`${edge}/${edgeRouterId}`);
    expect(refreshed.enrollmentToken).not.toBe(enrollmentToken);
    expect(refreshed.enrollmentExpiresAt).toBe(expiresAt);
    for (const method of ['erott', 'trott']) {
      const body = { method, identityId: edgeRouterId, expiresAt };
      expect(await refusal('POST', `${api}/enrollments`, body)).toEqual([400, 'COULD_NOT_VALIDATE', 'method']);
    }
    expect((await send('DELETE', `${api}/enrollments/${id}`)).status).toBe(200);
    expect(await read(`${edge}/${edgeRouterId}`)).not.toHaveProperty('enrollmentToken');
  });

  it('are in the SDK', async () => {
    const client = createEdgeClient(server.url, { caFile: server.caFile });
    await client.signIn.password(adminCredentials);
    const { edgeRouters, routers: all, transitRouters } = client.management;
    const { id } = await edgeRouters.create({ name: 'of the SDK', isTunnelerEnabled: true });
    await edgeRouters.reEnroll(id);
    expect((await edgeRouters.get(id)).enrollmentJwt).toEqual(expect.any(String));
    expect((await all.get(id)).name).toBe('of the SDK');
    await expect(transitRouters.delete(id)).rejects.toMatchObject({ status: 409, code: 'CAN_NOT_UPDATE_ROUTER' });
    await edgeRouters.delete(id);
  });
});
