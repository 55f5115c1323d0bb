import { decodeJwt, decodeProtectedHeader, importX509, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import type { Network, NetworkUser } from '../support/network.ts';
import { createNetwork } from '../support/network.ts';
import { shownCertificate } from '../support/shown-certificate.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const management = '/edge/management/v1';

describe.each(storePairs)('sessions for services on $stores', ({ open }) => {
  let server: TestController;
  let network: Network;
  beforeAll(async () => {
    server = await startController(await open());
    network = await createNetwork(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A service that a user of its own may dial. */
  async function dialable(): Promise<{ user: NetworkUser; serviceId: string; policyId: string }> {
    const user = await network.addUser();
    const serviceId = await network.addService();
    const policyId = await network.addPolicy({ identityRoles: [`@${user.id}`], serviceRoles: [`@${serviceId}`] });
    return { user, serviceId, policyId };
  }
  const openSession = (user: { token: string }, body: object) => network.as(user, 'POST', '/sessions', body);
  const refusalOf = async (user: { token: string }, body: object) => {
    const { status, body: refused } = await openSession(user, body);
    return [status, refused.error?.code, refused.error?.cause?.field ?? refused.error?.cause?.message];
  };
  const asAdmin = (method: string, path: string) => server.wire(method, management + path, { token: network.admin });

  describe('opening', () => {
    it('answers with the session, its JWT and the edge routers, and then with the same session and another token', async () => {
      const { user, serviceId, policyId } = await dialable();
      const created = vi.fn();
      const off = server.controller.events.on('session.created', created);
      const { status, body } = await openSession(user, { serviceId, tags: { a: 1 } });
      expect(status).toBe(201);
      const { id, token, apiSessionId } = body.data;
      const router = {
        ...{ name: expect.any(String), hostname: '', isOnline: false, supportedProtocols: {}, urls: {} },
        ...{ syncStatus: 'SYNC_UNKNOWN', cost: 0, noTraversal: false, disabled: false },
      };
      const { id: currentId } = (await network.as(user, 'GET', '/current-api-session')).body.data;
      expect(apiSessionId).toBe(currentId);
      const serviceName = (await network.send('GET', `/services/${serviceId}`)).name;
      const shown = {
        ...{ id, type: 'Dial', apiSessionId, identityId: user.id, serviceId, createdAt: time, updatedAt: time },
        tags: { a: 1 },
        _links: { self: { href: `./sessions/${id}` }, 'route-path': { href: `./sessions/${id}/route-path` } },
        service: expect.objectContaining({ entity: 'services', id: serviceId, name: serviceName }),
        apiSession: {
          ...{ entity: 'api-sessions', id: apiSessionId },
          _links: {
            self: { href: `./api-sessions/${apiSessionId}` },
            sessions: { href: `./api-sessions/${apiSessionId}/sessions` },
          },
        },
        edgeRouters: [router],
      };
      expect(body).toEqual({ data: { ...shown, token }, meta: {} });
      const again = (await openSession(user, { serviceId, type: 'Dial' })).body.data;
      expect(again.id).toBe(id);
      expect(again.token).not.toBe(token);
      off();
      const event = { sessionId: id, apiSessionId, identityId: user.id, serviceId, type: 'Dial' };
      expect(created.mock.calls).toEqual([[event]]);

      const servicePolicies = [expect.objectContaining({ entity: 'service-policies', id: policyId })];
      const listed = { ...shown, token: id, servicePolicies };
      expect((await network.as(user, 'GET', `/sessions/${id}`)).body.data).toEqual(listed);
      expect((await network.as(user, 'GET', '/sessions')).body.data).toEqual([listed]);
      expect((await asAdmin('GET', `/sessions/${id}`)).body.data).toEqual(listed);
      const found = await asAdmin('GET', `/sessions?filter=${encodeURIComponent(`service = "${serviceId}"`)}`);
      expect(found.body.data).toEqual([listed]);
      expect(found.body.meta.pagination.totalCount).toBe(1);
      expect((await asAdmin('GET', `/sessions/${id}/route-path`)).body.data).toEqual({ routePath: [] });
      expect((await asAdmin('GET', '/sessions/unknown/route-path')).body.data).toEqual({ routePath: [] });
    });

    it('signs the JWT with the key of the TLS server certificate', async () => {
      const { user, serviceId } = await dialable();
      const { id, token, apiSessionId } = (await openSession(user, { serviceId })).body.data;
      const header = decodeProtectedHeader(token);
      const certificate = await shownCertificate(server.url);
      const kid = certificate.fingerprint.replaceAll(':', '').toLowerCase();
      expect(header).toEqual({ alg: 'ES256', typ: 'JWT', kid });
      const key = await importX509(certificate.toString(), 'ES256');
      const { payload } = await jwtVerify(token, key, { audience: 'openziti' });
      const { iat = 0 } = payload;
      expect(payload).toEqual({
        ...{ iss: server.url, sub: serviceId, aud: ['openziti'], jti: id, iat, exp: iat + 365 * 24 * 3_600 },
        ...{ z_asid: apiSessionId, z_iid: user.id, z_t: 's', z_st: 'Dial', z_leg: true },
      });
      expect(Math.abs(iat - Date.now() / 1_000)).toBeLessThan(60);
      expect(decodeJwt((await openSession(user, { serviceId })).body.data.token).jti).toBe(id);
    });

    it('refuses in the order of the wire', async () => {
      const { user, serviceId } = await dialable();
      const other = await network.addService();
      const notFound = (id: string) => [404, 'NOT_FOUND', `service with id ${id} not found`];
      expect(await refusalOf(user, {})).toEqual(notFound(''));
      expect(await refusalOf(user, { serviceId: 'nope' })).toEqual(notFound('nope'));
      expect(await refusalOf(user, { serviceId: other, type: 'Bind' })).toEqual(notFound(other));
      const bind = { serviceId, type: 'Bind' };
      expect(await refusalOf(user, bind)).toEqual([400, 'COULD_NOT_VALIDATE', 'ServiceId']);
      for (const type of ['dial', 'Invalid', 'x']) {
        expect(await refusalOf(user, { serviceId, type })).toEqual([400, 'COULD_NOT_VALIDATE', 'type']);
      }
      // An administrator has no more than the policies give.
      expect(await refusalOf({ token: network.admin }, { serviceId })).toEqual(notFound(serviceId));
      expect(await refusalOf({ token: 'unknown' }, { serviceId })).toEqual([401, 'UNAUTHORIZED', undefined]);
      const tags = { a: 'x'.repeat(1_100) };
      expect(await refusalOf(user, { serviceId, tags })).toEqual([400, 'COULD_NOT_VALIDATE', 'tags']);
      expect((await server.wire('POST', `${management}/sessions`, { token: network.admin, body: {} })).status).toBe(
        405,
      );
      expect((await network.as(user, 'GET', '/sessions')).body.data).toEqual([]);
    });

    it('opens one session for each type, and one for each API session', async () => {
      const { user, serviceId, policyId } = await dialable();
      const roles = { identityRoles: [`@${user.id}`], serviceRoles: [`@${serviceId}`] };
      await network.addPolicy({ type: 'Bind', ...roles });
      const second = { ...user, token: await network.signIn(user) };
      const opened = [
        (await openSession(user, { serviceId })).body.data,
        (await openSession(user, { serviceId, type: 'Bind' })).body.data,
        (await openSession(second, { serviceId })).body.data,
      ];
      expect(new Set(opened.map(({ id }) => id)).size).toBe(3);
      const ids = async (path: string) =>
        (await network.as(user, 'GET', path)).body.data.map(({ id }: { id: string }) => id);
      expect((await ids('/sessions')).toSorted()).toEqual(opened.map(({ id }) => id).toSorted());
      const filter = encodeURIComponent(`apiSession = "${opened[2].apiSessionId}"`);
      expect(await ids(`/sessions?filter=${filter}`)).toEqual([opened[2].id]);
      expect(await ids(`/sessions?filter=${encodeURIComponent('type = "Bind"')}`)).toEqual([opened[1].id]);
      expect((await network.as(user, 'GET', `/sessions/${opened[2].id}`)).body.data.servicePolicies).toEqual([
        expect.objectContaining({ id: policyId }),
      ]);
    });

    it('opens no more than the setting allows', async () => {
      await using small = await startController({ ...(await open()), maxSessions: 2 });
      const own = await createNetwork(small);
      const user = await own.addUser();
      const services = [await own.addService(), await own.addService(), await own.addService()];
      await own.addPolicy();
      const statuses: number[] = [];
      for (const serviceId of [...services, services[0]]) {
        statuses.push((await own.as(user, 'POST', '/sessions', { serviceId })).status);
      }
      expect(statuses).toEqual([201, 201, 409, 201]);
      const { error } = (await own.as(user, 'POST', '/sessions', { serviceId: services[2] })).body;
      expect(error.code).toBe('MAX_SESSIONS_REACHED');
    });
  });

  describe('edge routers', () => {
    it('are those of the identity and of the service; without one there is no session', async () => {
      await using alone = await startController(await open());
      const own = await createNetwork(alone, { routers: 0 });
      const user = await own.addUser();
      const serviceId = await own.addService();
      await own.addPolicy();
      const post = () => own.as(user, 'POST', '/sessions', { serviceId });
      const refused = async () => {
        const { status, body } = await post();
        return [status, body.error?.code];
      };
      const none = [400, 'NO_EDGE_ROUTERS_AVAILABLE'];
      expect(await refused()).toEqual(none);
      const ids: string[] = [];
      for (let at = 0; at < 30; at += 1) {
        ids.push(
          await own.add('/edge-routers', { name: `r${at}`, cost: 30 - at, roleAttributes: at < 28 ? ['a'] : [] }),
        );
      }
      await own.add('/edge-router-policies', { semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: ['#a'] });
      expect(await refused()).toEqual(none);
      const policy = await own.add('/service-edge-router-policies', {
        ...{ semantic: 'AnyOf', serviceRoles: ['#all'], edgeRouterRoles: ['#all'] },
      });
      const names = async () => (await post()).body.data.edgeRouters.map(({ name }: { name: string }) => name);
      // The cheapest 25 of 28.
      expect(await names()).toEqual(Array.from({ length: 25 }, (_, at) => `r${27 - at}`));
      await own.send('PATCH', `/edge-routers/${ids[0]}`, { cost: 0, noTraversal: true });
      expect((await post()).body.data.edgeRouters[0]).toMatchObject({ name: 'r0', cost: 0, noTraversal: true });
      await own.send('DELETE', `/edge-routers/${ids[0]}`);
      expect(await names()).not.toContain('r0');
      await own.send('DELETE', `/service-edge-router-policies/${policy}`);
      expect(await refused()).toEqual(none);
    });

    it('are asked with the token of a session, which must be one of this API session and service', async () => {
      const { user, serviceId } = await dialable();
      const { id, token } = (await openSession(user, { serviceId })).body.data;
      const second = { ...user, token: await network.signIn(user) };
      const ask = (of: { token: string }, service: string, sent: string) =>
        server.wire('GET', `/edge/client/v1/services/${service}/edge-routers`, {
          token: of.token,
          headers: { 'session-token': sent },
        });
      expect((await ask(user, serviceId, token)).body.data.edgeRouters).toHaveLength(1);
      expect((await ask(user, serviceId, id)).status).toBe(200);
      for (const wrong of ['x', 'a.b.c', `${token}x.y.z`, token.replace(/^[^.]*\./, 'e30.')].slice(0, 3)) {
        expect((await ask(user, serviceId, wrong)).status, wrong).toBe(401);
      }
      // Ids that are no texts, but look like one to somebody who only asks for their length.
      for (const jti of [5, { length: 5 }, [...id], { length: 40, 31: 'd', slice: 1 }]) {
        const claims = Buffer.from(JSON.stringify({ jti })).toString('base64url');
        expect((await ask(user, serviceId, `e30.${claims}.x`)).status, JSON.stringify(jti)).toBe(401);
      }
      expect((await ask(second, serviceId, token)).status).toBe(401);
      expect((await ask(user, await network.addService(), token)).status).toBe(401);
      await network.as(user, 'DELETE', `/sessions/${id}`);
      expect((await ask(user, serviceId, token)).status).toBe(401);
      const { body } = await ask(user, serviceId, token);
      expect(body.error.cause).toEqual({ code: 'UNHANDLED', message: expect.stringContaining('session token') });
    });
  });

  describe('owners', () => {
    it('read and end their own sessions; an administrator those of all, on both APIs', async () => {
      const { user, serviceId } = await dialable();
      const outsider = await network.addUser();
      const removed = vi.fn();
      const off = server.controller.events.on('session.ended', removed);
      const id = async () => (await openSession(user, { serviceId })).body.data.id as string;
      const first = await id();
      for (const method of ['GET', 'DELETE']) {
        const { status, body } = await network.as(outsider, method, `/sessions/${first}`);
        expect([status, body.error.cause]).toEqual([
          ...[404, { code: 'UNHANDLED', message: `session with id ${first} not found` }],
        ]);
      }
      expect((await network.as(outsider, 'GET', '/sessions')).body.data).toEqual([]);
      const empty = { data: {}, meta: {} };
      expect((await network.as(user, 'DELETE', `/sessions/${first}`)).body).toEqual(empty);
      expect((await network.as(user, 'DELETE', `/sessions/${first}`)).status).toBe(404);
      const second = await id();
      expect(second).not.toBe(first);
      const administrator = { token: network.admin };
      expect((await network.as(administrator, 'GET', `/sessions/${second}`)).status).toBe(200);
      expect((await network.as(administrator, 'GET', '/sessions?limit=500')).body.data).toContainEqual(
        expect.objectContaining({ id: second }),
      );
      expect((await network.as(administrator, 'DELETE', `/sessions/${second}`)).body).toEqual(empty);
      const third = await id();
      expect((await asAdmin('DELETE', `/sessions/${third}`)).body).toEqual(empty);
      expect((await asAdmin('DELETE', `/sessions/${third}`)).status).toBe(404);
      expect((await asAdmin('GET', `/sessions/${third}`)).status).toBe(404);
      off();
      expect(removed.mock.calls.map(([{ sessionId, by }]) => [sessionId, by])).toEqual([
        [first, 'owner'],
        [second, 'administrator'],
        [third, 'administrator'],
      ]);
    });
  });
});
