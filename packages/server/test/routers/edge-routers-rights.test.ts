import { enrollRouter } from '@edge-controller/router-double';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { LearningRouter } from './edge-routers/learning-router.ts';
import { enrolledRouter } from './edge-routers/raw-router.ts';

type Edge = Awaited<ReturnType<Awaited<ReturnType<TestController['createIdentity']>>['signIn']>>;

let names = 0;
function newName(): string {
  names += 1;
  return `name-${names}`;
}

describe.each(storePairs)('what a router learns of API sessions on $stores', ({ open }) => {
  let controller: TestController;
  beforeAll(async () => {
    controller = await startTestController(await open());
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  const management = () => controller.admin.management;
  const tokenOf = async (edge: Edge) => (await edge.authorization(controller.url))['svc-session'] ?? '';

  /** A router with this attribute. */
  async function router(attribute: string): Promise<LearningRouter> {
    const identity = await enrolledRouter(controller, { roleAttributes: [attribute] });
    const learning = await LearningRouter.connect(controller, identity);
    onTestFinished(() => learning.raw.close());
    return learning;
  }

  /** Somebody with this attribute, and an API session that has not asked for anything. */
  async function user(attribute: string) {
    const identity = await controller.createIdentity();
    await management().identities.patch(identity.id, { roleAttributes: [attribute] });
    const edge = await identity.signIn();
    return {
      id: identity.id,
      edge,
      token: await tokenOf(edge),
      ask: () => edge.client.currentIdentityEdgeRouters.list(),
    };
  }

  /** Lets identities with an attribute use the routers with an attribute. */
  async function allow(identities: string, routers: string): Promise<string> {
    const roles = { identityRoles: [`#${identities}`], edgeRouterRoles: [`#${routers}`] };
    const { id } = await management().edgeRouterPolicies.create({ name: newName(), semantic: 'AnyOf', ...roles });
    return id;
  }

  const knows = (one: LearningRouter, { token }: { readonly token: string }, isKnown = true) =>
    vi.waitFor(() => expect(one.tokens.has(token)).toBe(isKnown));

  it('is a session that asked for what leads to routers, whatever it was, and no other', async () => {
    const [staff, office] = [newName(), newName()];
    const own = await router(office);
    await allow(staff, office);
    const [semantic, serviceRoles] = ['AnyOf' as const, [`#${staff}`]];
    const service = { name: newName(), encryptionRequired: false, roleAttributes: [staff] };
    const { id: serviceId } = await management().services.create(service);
    const reaching = { semantic, serviceRoles, name: newName(), edgeRouterRoles: [`#${office}`] };
    await management().serviceEdgeRouterPolicies.create(reaching);
    const dial = { semantic, serviceRoles, name: newName(), identityRoles: [`#${staff}`] };
    await management().servicePolicies.create({ ...dial, type: 'Dial' });
    const silent = await user(staff);
    await silent.edge.client.currentIdentity.get();
    await silent.edge.client.services.list();
    const ways: readonly ((edge: Edge) => Promise<unknown>)[] = [
      ({ client }) => client.currentIdentityEdgeRouters.list(),
      ({ client }) => client.services.edgeRouters(serviceId),
      ({ client }) => client.sessions.list(),
      ({ client }) => client.sessions.create({ serviceId, type: 'Dial' }),
    ];
    for (const way of ways) {
      const ada = await user(staff);
      expect(own.tokens.has(ada.token)).toBe(false);
      await way(ada.edge);
      await knows(own, ada);
    }
    await own.resync();
    expect(own.learned.has(silent.token)).toBe(false);
    expect(own.tokens.size).toBe(ways.length);
  });

  it('is one of an identity that may use it, also when it asks for all, and never one for a transit router', async () => {
    const [staff, office, shop] = [newName(), newName(), newName()];
    const [own, other] = [await router(office), await router(shop)];
    const { transitRouters } = management();
    const { id } = await transitRouters.create({ name: newName() });
    const { enrollmentJwt } = await transitRouters.get(id);
    const transit = await LearningRouter.connect(controller, await enrollRouter({ jwt: enrollmentJwt ?? '' }));
    await allow(staff, office);
    const [ada, outsider] = [await user(staff), await user('nobody')];
    await outsider.ask();
    await ada.ask();
    await knows(own, ada);
    for (const one of [own, other, transit]) await one.resync();
    expect([own, other, transit].map(({ learned }) => [...learned])).toEqual([[ada.token], [], []]);
    // Another connection is told the same.
    const again = await LearningRouter.connect(controller, transit.raw.identity);
    expect(again.learned.size).toBe(0);
    again.raw.close();
  });

  it('is taken back at once with what gave it, and given back', async () => {
    const [staff, office] = [newName(), newName()];
    const own = await router(office);
    const ada = await user(staff);
    await ada.ask();
    let policy = '';
    const { edgeRouterPolicies, edgeRouters, identities } = management();
    const attributes = (...roleAttributes: string[]) => ({ roleAttributes });
    const ways: readonly [give: () => Promise<unknown>, take: () => Promise<unknown>][] = [
      [
        async () => {
          policy = await allow(staff, office);
        },
        () => edgeRouterPolicies.delete(policy),
      ],
      [
        async () => {
          policy = await allow(staff, office);
        },
        () => edgeRouterPolicies.patch(policy, { identityRoles: ['#others'] }),
      ],
      [
        () => edgeRouterPolicies.patch(policy, { identityRoles: [`#${staff}`] }),
        () => edgeRouters.patch(own.raw.id, attributes()),
      ],
      [() => edgeRouters.patch(own.raw.id, attributes(office)), () => identities.patch(ada.id, attributes())],
      [
        () => identities.patch(ada.id, attributes(staff)),
        () => identities.patch(ada.id, { permissions: ['service.read'] }),
      ],
      [() => identities.patch(ada.id, { permissions: [] }), () => identities.patch(ada.id, { isAdmin: true })],
      [() => identities.patch(ada.id, { isAdmin: false }), () => ada.edge.signOut()],
    ];
    const delays: number[] = [];
    for (const [give, take] of ways) {
      await give();
      await knows(own, ada);
      await take();
      const takenAt = performance.now();
      await knows(own, ada, false);
      delays.push(performance.now() - takenAt);
      await own.resync();
      expect(own.tokens.has(ada.token)).toBe(false);
    }
    // The machine may be busy with something else during some of them.
    expect(Math.min(...delays), delays.join(' ')).toBeLessThan(1_000);
  });

  it('is taken back when its sign-in is not enough any more, and given back', async () => {
    const [staff, office] = [newName(), newName()];
    const own = await router(office);
    await allow(staff, office);
    const { authPolicies, identities } = management();
    const { primary, secondary } = await authPolicies.get('default');
    const { id: policy } = await authPolicies.create({ name: newName(), primary, secondary });
    const ada = await user(staff);
    await identities.patch(ada.id, { authPolicyId: policy });
    await ada.ask();
    await knows(own, ada);
    const [withUpdb, withTotp] = [
      (allowed: boolean) => authPolicies.patch(policy, { primary: { ...primary, updb: { ...primary.updb, allowed } } }),
      (requireTotp: boolean) => authPolicies.patch(policy, { secondary: { ...secondary, requireTotp } }),
    ];
    // The client makes no request meanwhile.
    const ways = [
      [() => withUpdb(false), () => withUpdb(true)],
      [() => withTotp(true), () => withTotp(false)],
    ] as const;
    for (const [take, give] of ways) {
      await take();
      await knows(own, ada, false);
      await own.resync();
      expect(own.tokens.has(ada.token)).toBe(false);
      own.tokens.add(ada.token);
      await own.beat(ada.token);
      expect(own.tokens.has(ada.token)).toBe(false);
      await give();
      await knows(own, ada);
    }
  });

  it('is never one of an identity with rights, which whoever has the router would gain', async () => {
    const [staff, office] = [newName(), newName()];
    const own = await router(office);
    await allow(staff, office);
    const [boss, holder, ada] = [await user(staff), await user(staff), await user(staff)];
    await management().identities.patch(boss.id, { isAdmin: true });
    await management().identities.patch(holder.id, { permissions: ['admin_readonly'] });
    for (const one of [boss, holder, ada]) await one.ask();
    await knows(own, ada);
    await own.resync();
    expect([...own.learned]).toEqual([ada.token]);
  });

  it('never gets rights that its identity gets later', async () => {
    const [staff, office] = [newName(), newName()];
    const own = await router(office);
    await allow(staff, office);
    const [ada, silent] = [await user(staff), await user(staff)];
    await ada.ask();
    await knows(own, ada);
    for (const { id } of [ada, silent]) await management().identities.patch(id, { isAdmin: true });
    await expect(ada.edge.management.services.list()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await silent.edge.management.services.list();
    await silent.ask();
    await silent.edge.management.services.list();
    await own.resync();
    expect([...own.learned]).toEqual([ada.token]);
  });

  it('does not show what enrolls its identity', async () => {
    const [staff, office] = [newName(), newName()];
    const own = await router(office);
    await allow(staff, office);
    const ada = await user(staff);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await management().enrollments.create({ identityId: ada.id, method: 'ott', expiresAt });
    const shown = async () => (await ada.edge.client.currentIdentity.get()).enrollment.ott;
    expect(await shown()).toMatchObject({ token: expect.stringMatching(/./), jwt: expect.stringMatching(/./) });
    await ada.ask();
    await knows(own, ada);
    expect(await shown()).toMatchObject({ token: '', jwt: '' });
  });

  it('lets it keep alive only what it has learned', async () => {
    const [staff, office, shop] = [newName(), newName(), newName()];
    const [own, other] = [await router(office), await router(shop)];
    await allow(staff, office);
    const ada = await user(staff);
    await ada.ask();
    await knows(own, ada);
    const id = ada.edge.session?.id ?? '';
    const usedAt = async () => Date.parse((await management().apiSessions.get(id)).lastActivityAt ?? '');
    const before = await usedAt();
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(before + 20));
    other.tokens.add(ada.token);
    await other.beat(ada.token);
    expect(other.tokens.has(ada.token)).toBe(false);
    expect(Math.abs((await usedAt()) - before)).toBeLessThan(10);
    await own.beat(ada.token);
    await vi.waitFor(async () => expect(await usedAt()).toBeGreaterThan(before + 10));
    expect(own.tokens.has(ada.token)).toBe(true);
  });
});
