import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { allowed, lacking, withSubjects } from '../support/rights.ts';
import { routerCsrs } from '../support/routers.ts';
import { sql } from '../support/sql.ts';
import type { Subject } from '../support/subjects.ts';

const client = '/edge/client/v1';
const collections = ['/edge-routers', '/transit-routers'] as const;

describe.each(storePairs)('rights and routers on $stores', ({ open }) => {
  const t = withSubjects(open);
  const { holder, manage, read, send } = t;
  const add = async (path: string, body: object) => {
    const created = await manage('POST', path, { name: randomUUID(), ...body });
    expect(created.status, created.text).toBe(201);
    return created.body.data.id as string;
  };
  const addRouter = async (path: string = '/edge-routers', body: object = {}) => {
    const id = await add(path, body);
    const { enrollmentToken, enrollmentJwt } = await read(`${path}/${id}`);
    return { id, secrets: [enrollmentToken, enrollmentJwt] as [string, string] };
  };

  it('show the secrets of the enrollment of a router to who could have made it', async () => {
    const routers = await Promise.all(collections.map((path) => addRouter(path)));
    const secrets = routers.flatMap((router) => router.secrets);
    expect(new Set(secrets.filter(Boolean)).size).toBe(4);
    const enrollments = (await read('/enrollments?limit=500')) as Record<string, string>[];
    const paths = [
      ...[...collections, '/routers', '/enrollments'].map((path) => `${path}?limit=500`),
      ...routers.flatMap(({ id }, at) => [`${collections[at]}/${id}`, `/routers/${id}`]),
      ...enrollments.flatMap((one) =>
        routers.some(({ id }) => id === one.edgeRouterId || id === one.transitRouterId)
          ? [`/enrollments/${one.id}`]
          : [],
      ),
    ];
    const seenBy = async (reader: Subject) => {
      const answers = await Promise.all(paths.map((path) => send(reader, 'GET', path)));
      const seen = secrets.filter((secret) => answers.some(({ text }) => text.includes(secret)));
      return { statuses: new Set(answers.map(({ status }) => status)), seen };
    };
    const readers = [['admin_readonly'], ['router.read', 'enrollment.read', 'router.delete', 'enrollment.delete']];
    for (const permissions of [...readers, ['admin_readonly', 'identity']]) {
      const { statuses, seen } = await seenBy(await holder(...permissions));
      expect([...statuses, ...seen], permissions.join()).toEqual([200]);
    }
    for (const maker of ['router.create', 'router.update', 'enrollment.create', 'enrollment.update']) {
      const { statuses, seen } = await seenBy(await holder('router.read', 'enrollment.read', maker));
      expect([...statuses, seen], maker).toEqual([200, secrets]);
    }
  });

  it('show no secret of a router on the Client API, also to administrators', async () => {
    const router = await addRouter();
    const [service, enrolled] = [await add('/services', { encryptionRequired: true }), await addRouter()];
    const query = `method=erott&token=${enrolled.secrets[0]}`;
    const redeemed = await t.server.wire('POST', `${client}/enroll?${query}`, { body: routerCsrs(enrolled.id) });
    const { certPem, fingerprint } = await read(`/edge-routers/${enrolled.id}`);
    expect([redeemed.status, certPem]).toEqual([200, redeemed.body.data.cert]);
    const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
    await add('/edge-router-policies', { ...all, identityRoles: ['#all'] });
    await add('/service-edge-router-policies', { ...all, serviceRoles: [`@${service}`] });
    const own = { semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: [`@${service}`] };
    await add('/service-policies', { ...own, type: 'Dial' });
    // Who opened it would fail.
    const { id } = (await read('/enrollments?limit=500')).find((one: { edgeRouterId?: string }) => {
      return one.edgeRouterId === router.id;
    });
    await sql(t.server, `update "enrollmentTokens" set "sealed" = 'damaged' where "enrollmentId" = '${id}'`);
    expect((await manage('GET', `/edge-routers/${router.id}`)).status).toBe(500);
    const paths = [`/services/${service}/edge-routers`, '/current-identity/edge-routers', '/services'];
    for (const { token } of [t.boss, t.somebody, await holder('router', 'enrollment')]) {
      for (const path of paths) {
        const answer = await t.server.wire('GET', client + path, { token });
        expect(answer.status, `${path}: ${answer.text}`).toBe(200);
        for (const secret of [...router.secrets, fingerprint]) expect(answer.text).not.toContain(secret);
        expect(answer.text).not.toMatch(/certPem|fingerprint|enrollment|BEGIN CERTIFICATE/i);
      }
    }
    const { data } = (await t.server.wire('GET', `${client}${paths[0]}`, { token: t.boss.token })).body;
    expect(data.edgeRouters.length).toBeGreaterThanOrEqual(2);
    await manage('DELETE', `/edge-routers/${router.id}`);
  });

  it('do not let somebody take over, rename or delete the identity of a router with other rights', async () => {
    const manager = await holder('router', 'enrollment', 'identity', 'edge-router-policy');
    for (const rights of [{ isAdmin: true }, { permissions: ['service'] }]) {
      const { id } = await addRouter('/edge-routers', { isTunnelerEnabled: true });
      const one = `/edge-routers/${id}`;
      expect(await manage('PATCH', `/identities/${id}`, rights)).toMatchObject(allowed);
      const before = [await read(one), await read(`/identities/${id}`)];
      const changes: [string, string, object?][] = [
        ['PATCH', one, { name: randomUUID() }],
        ['PATCH', one, { isTunnelerEnabled: false }],
        ['PUT', one, { name: before[0].name }],
        ['PUT', one, { name: randomUUID(), isTunnelerEnabled: true }],
        ['DELETE', one],
        ['POST', '/enrollments', { identityId: id, method: 'ott', expiresAt: new Date(Date.now() + 60_000) }],
        ['PATCH', `/identities/${id}`, { externalId: randomUUID() }],
      ];
      for (const [method, path, body] of changes) {
        expect(await send(manager, method, path, body), `${method} ${path} ${JSON.stringify(body)}`).toMatchObject(
          lacking,
        );
      }
      expect([await read(one), await read(`/identities/${id}`)]).toEqual(before);
      for (const path of ['/transit-routers', '/routers']) {
        expect((await send(manager, 'DELETE', `${path}/${id}`)).status).toBe(409);
      }
      // What does not touch the identity is allowed.
      expect(await send(manager, 'PATCH', one, { cost: 3 })).toMatchObject(allowed);
      expect(await send(manager, 'POST', `${one}/re-enroll`)).toMatchObject(allowed);
      expect(await manage('PATCH', `/identities/${id}`, { isAdmin: false, permissions: [] })).toMatchObject(allowed);
      expect(await send(manager, 'PATCH', one, { name: randomUUID() })).toMatchObject(allowed);
      expect(await send(manager, 'DELETE', one)).toMatchObject(allowed);
    }
  });
});
