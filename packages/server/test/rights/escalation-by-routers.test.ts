import { enrollRouter } from '@edge-controller/router-double';
import type { PermissionName } from '@edge-controller/shared-types';
import { permissionNames } from '@edge-controller/shared-types';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { LearningRouter } from '../routers/edge-routers/learning-router.ts';
import { storePairs } from '../support/controller.ts';
import { inAnHour } from '../support/enrollments.ts';
import { freePort } from '../support/free-port.ts';
import { withSubjects } from '../support/rights.ts';
import type { Subject } from '../support/subjects.ts';

const client = '/edge/client/v1';
const patience = 300_000;
/** They let somebody have the enrollment of a router. */
const makers: ReadonlySet<string> = new Set(
  ['router', 'enrollment'].flatMap((entity) => [entity, `${entity}.create`, `${entity}.update`]),
);
const semantic = 'AnyOf';
const staffInOffice = { semantic, identityRoles: ['#staff'], edgeRouterRoles: ['#office'] };

describe.each(storePairs)('a router of an identity with a permission, on $stores', ({ open }) => {
  let address = '';
  const t = withSubjects(async () => {
    address = `127.0.0.1:${await freePort()}`;
    return { ...(await open()), routersBind: address };
  });
  let policyId: string;
  /** Those who may use the routers of the office, and ask for them. */
  let victims: Readonly<Record<'boss' | 'manager' | 'bob', Subject>>;

  beforeAll(async () => {
    policyId = (await t.manage('POST', '/edge-router-policies', { name: 'base', ...staffInOffice })).body.data.id;
  });

  async function askingSubject(subject: Subject): Promise<Subject> {
    await t.manage('PATCH', `/identities/${subject.ids.identities}`, { roleAttributes: ['staff'] });
    const answer = await t.server.wire('GET', `${client}/current-identity/edge-routers`, { token: subject.token });
    expect(answer.status).toBe(200);
    return subject;
  }

  /** A router that has enrolled, and one that has not. */
  async function addRouters(permission: string) {
    const add = async (name: string) => {
      const body = { name: `${name} ${permission}`, roleAttributes: ['office'] };
      return (await t.manage('POST', '/edge-routers', body)).body.data.id as string;
    };
    const [enrolled, waiting] = [await add('enrolled'), await add('waiting')];
    const { enrollmentJwt } = await t.read(`/edge-routers/${enrolled}`);
    await enrollRouter({ jwt: enrollmentJwt });
    return { enrolled, waiting };
  }

  /** Does all that may lead to a router, or a session to a router, whatever the response. */
  async function attack(attacker: Subject, permission: string, { enrolled, waiting }: Record<string, string>) {
    const { boss, manager } = victims;
    const all = ['#all'];
    const [bossRole, managerRole] = [boss, manager].map(({ ids }) => `@${ids.identities}`);
    const send = (method: string, path: string, body?: object) => t.send(attacker, method, path, body);
    const name = (what: string) => `${what} of ${permission}`;
    const tunneler = { name: name('tunneler'), isTunnelerEnabled: true, roleAttributes: ['office'] };
    await send('POST', '/edge-routers', { name: name('edge'), roleAttributes: ['office'] });
    await send('POST', '/edge-routers', { name: name('unselected') });
    await send('POST', '/edge-routers', tunneler);
    await send('POST', '/transit-routers', { name: name('transit') });
    await send('POST', `/edge-routers/${enrolled}/re-enroll`);
    await send('PATCH', `/edge-routers/${enrolled}`, { roleAttributes: ['office', 'staff'] });
    const enrollments = (await send('GET', '/enrollments?limit=500')).body.data ?? [];
    for (const { id, edgeRouterId } of enrollments) {
      if (edgeRouterId === waiting) await send('POST', `/enrollments/${id}/refresh`, { expiresAt: inAnHour() });
    }
    const roles = [all, [bossRole, managerRole]].entries();
    for (const [at, identityRoles] of roles) {
      const policy = { name: name(`policy ${at}`), semantic, identityRoles, edgeRouterRoles: all };
      await send('POST', '/edge-router-policies', policy);
    }
    await send('PATCH', `/edge-router-policies/${policyId}`, { identityRoles: all, edgeRouterRoles: all });
    for (const { ids } of Object.values(victims)) {
      await send('PATCH', `/identities/${ids.identities}`, { roleAttributes: ['staff', 'office'] });
    }
  }

  /** Enrolls and connects whatever routers somebody can. */
  async function connect(attacker: Subject) {
    const jwts = new Map<string, string>();
    for (const path of ['/edge-routers', '/transit-routers', '/enrollments']) {
      const rows = (await t.send(attacker, 'GET', `${path}?limit=500`)).body.data ?? [];
      for (const { id, edgeRouterId, transitRouterId, enrollmentJwt, jwt } of rows) {
        const secret = enrollmentJwt ?? ((edgeRouterId ?? transitRouterId) && jwt);
        if (secret) jwts.set(edgeRouterId ?? transitRouterId ?? id, secret);
      }
    }
    const connected: { readonly id: string; readonly router: LearningRouter }[] = [];
    for (const [id, jwt] of jwts) {
      const router = await LearningRouter.connect({ routersAddress: `tls:${address}` }, await enrollRouter({ jwt }));
      connected.push({ id, router });
    }
    return connected;
  }

  async function restore(): Promise<void> {
    for (const { id, isSystem } of await t.read('/edge-router-policies?limit=500')) {
      if (id !== policyId && !isSystem) await t.manage('DELETE', `/edge-router-policies/${id}`);
    }
    await t.manage('PATCH', `/edge-router-policies/${policyId}`, staffInOffice);
    for (const { ids } of Object.values(victims)) {
      await t.manage('PATCH', `/identities/${ids.identities}`, { roleAttributes: ['staff'] });
    }
  }

  it('learns no token of an identity that may not use it, and none of one with rights', {
    timeout: patience,
  }, async () => {
    const manager = await askingSubject(await t.holder('service'));
    victims = { boss: await askingSubject(t.boss), manager, bob: await askingSubject(t.somebody) };
    const { boss, bob } = victims;
    const connected = new Map<PermissionName, number>();
    let ofBob = 0;
    for (const permission of permissionNames) {
      const routers = await addRouters(permission);
      const attacker = await t.holder(permission, 'admin_readonly');
      await attack(attacker, permission, routers);
      const routersOfAttacker = await connect(attacker);
      connected.set(permission, routersOfAttacker.length);
      for (const { id, router } of routersOfAttacker) {
        const users = (await t.manage('GET', `/edge-routers/${id}/identities?limit=500`)).body.data ?? [];
        const mayUse = users.some((user: { readonly id: string }) => user.id === bob.ids.identities);
        // What a change of rights gives may arrive after what the router gets first.
        if (mayUse) await vi.waitFor(() => expect(router.learned, permission).toContain(bob.token), patience);
        const tokens = [...router.learned];
        for (const { token } of mayUse ? [boss, manager] : [boss, manager, bob])
          expect(tokens, permission).not.toContain(token);
        router.raw.close();
        ofBob += Number(mayUse);
      }
      await restore();
      for (const id of Object.values(routers)) await t.manage('DELETE', `/edge-routers/${id}`);
    }
    const having = permissionNames.filter((permission) => (connected.get(permission) ?? 0) > 0);
    expect(new Set(having)).toEqual(makers);
    expect(ofBob).toBeGreaterThan(0);
  });
});
