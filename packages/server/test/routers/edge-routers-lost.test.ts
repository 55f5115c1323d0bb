import {
  decode,
  encode,
  RouteSchema,
  SessionRemovedSchema,
  ValidateSessionsRequestSchema,
} from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { eventually } from './edge-routers/eventually.ts';
import type { Presented } from './edge-routers/raw-requests.ts';
import { bind, dial, routeResult } from './edge-routers/raw-requests.ts';
import { RawRouter } from './edge-routers/raw-router.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { signIn } from './router-double/routed-network.ts';

describe.each(storePairs)('an edge router that may not be used any more, on $stores', ({ open }) => {
  let controller: TestController;
  let [ada, bob] = [] as unknown as [RoutedIdentity, RoutedIdentity];
  let serviceId = '';
  let names = 0;
  beforeAll(async () => {
    controller = await startTestController(await open());
    // Nobody gets a session without a router.
    const { id } = await controller.startRouter({ policies: false });
    await allow('identities', ['#all'], [id]);
    await allow('services', ['#all'], [id]);
    [ada, bob] = [await signIn(controller), await signIn(controller)];
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  beforeEach(async () => {
    ({ id: serviceId } = await controller.createService({ encryptionRequired: false }));
  });

  const management = () => controller.admin.management;
  /** Returns what takes it back. */
  const allow = async (side: 'identities' | 'services', roles: string[], routerIds: string[]) => {
    const { edgeRouterPolicies, serviceEdgeRouterPolicies } = management();
    names += 1;
    const edgeRouterRoles = routerIds.map((id) => `@${id}`);
    const policy = { name: `policy ${names}`, semantic: 'AnyOf', edgeRouterRoles } as const;
    if (side === 'identities') {
      const { id } = await edgeRouterPolicies.create({ ...policy, identityRoles: roles });
      return () => edgeRouterPolicies.delete(id);
    }
    const { id } = await serviceEdgeRouterPolicies.create({ ...policy, serviceRoles: roles });
    return () => serviceEdgeRouterPolicies.delete(id);
  };
  const presented = async (who: RoutedIdentity, type: 'Dial' | 'Bind'): Promise<Presented> => ({
    sessionToken: await who.session(serviceId, type),
    apiSessionToken: who.token,
  });
  const terminators = async () =>
    (await management().terminators.list({ filter: `service = "${serviceId}"` })).data.map(({ id }) => id).sort();
  /** A router that says only what the test says, and what lets the two and the service use it. */
  const openRouter = async () => {
    const router = await RawRouter.enroll(controller);
    const takeAway = {
      Dial: await allow('identities', [`@${ada.identityId}`], [router.id]),
      Bind: await allow('identities', [`@${bob.identityId}`], [router.id]),
      service: await allow('services', [`@${serviceId}`], [router.id]),
    };
    return { router, takeAway };
  };

  it('leaves a host what it has at another one', async () => {
    const routers = [
      await controller.startRouter({ policies: false }),
      await controller.startRouter({ policies: false }),
    ] as const;
    const [takeAway] = [
      await allow('services', [`@${serviceId}`], [routers[0].id]),
      await allow('services', [`@${serviceId}`], [routers[1].id]),
      await allow('identities', [`@${bob.identityId}`], [routers[0].id, routers[1].id]),
    ];
    const token = await bob.session(serviceId, 'Bind');
    for (const router of routers) await (await bob.connect(router)).host(token);
    expect(await terminators()).toHaveLength(2);
    await takeAway();
    const [kept] = routers[1].state.terminators;
    await eventually(async () => expect(await terminators()).toEqual([kept]));
    await eventually(() => expect(routers[0].state.terminators).toEqual([]));
    expect(decodeJwt(await bob.session(serviceId, 'Bind')).jti).toBe(decodeJwt(token).jti);
  });

  it('can be used at once when the right comes back', async () => {
    const router = await controller.startRouter({ policies: false });
    const give = () => allow('services', [`@${serviceId}`], [router.id]);
    const takeBack = await allow('identities', [`@${bob.identityId}`], [router.id]);
    // It has no other one.
    const [everywhere] = (await management().serviceEdgeRouterPolicies.list({ filter: 'name = "policy 2"' })).data;
    await management().serviceEdgeRouterPolicies.patch(everywhere!.id, { serviceRoles: [] });
    const takeAway = await give();
    const application = await bob.connect(router);
    await application.host(await bob.session(serviceId, 'Bind'));
    await takeAway();
    await eventually(() => expect(router.state.terminators).toEqual([]));
    await expect(bob.session(serviceId, 'Bind')).rejects.toMatchObject({ status: 400 });
    await give();
    await application.host(await bob.session(serviceId, 'Bind'));
    expect(await terminators()).toEqual(router.state.terminators);
    await management().serviceEdgeRouterPolicies.patch(everywhere!.id, { serviceRoles: ['#all'] });
    await takeBack();
  });

  it.each(['Bind', 'service'] as const)('has no terminators, whatever it does (%s)', async (side) => {
    const { router, takeAway } = await openRouter();
    const hosting = await presented(bob, 'Bind');
    await bind(router, { ...hosting, address: `t${names}` });
    await takeAway[side]();
    await eventually(async () => expect(await terminators()).toEqual([]));
    const told = await router.peer.ofType(controlTypes.sessionRemoved);
    expect(decode(SessionRemovedSchema, told.body).ids).toEqual([decodeJwt(hosting.sessionToken).jti]);
    expect(await bind(router, { ...hosting, address: `t${names}` })).toEqual({
      ...{ result: 'OTHER', msg: 'invalid edge router for session' },
    });
    router.close();
  });

  it('gets no circuit to its terminators', async () => {
    const { router, takeAway } = await openRouter();
    await bind(router, { ...(await presented(bob, 'Bind')), address: `t${names}` });
    const dialing = await presented(ada, 'Dial');
    await takeAway.Bind();
    expect(await dial(router, dialing)).toMatchObject({ code: 1, text: `service ${serviceId} has no terminators` });
    expect(router.peer.unread.filter(({ type }) => type === controlTypes.route)).toEqual([]);
    router.close();
  });

  it.each(['Dial', 'Bind', 'service'] as const)('gets no circuit that was being opened (%s)', async (side) => {
    const { router, takeAway } = await openRouter();
    await bind(router, { ...(await presented(bob, 'Bind')), address: `t${names}` });
    const dialing = dial(router, await presented(ada, 'Dial'));
    const frame = await router.peer.ofType(controlTypes.route);
    const { circuitId, attempt } = decode(RouteSchema, frame.body);
    await takeAway[side]();
    routeResult(router, frame, { circuitId, attempt });
    expect(await dialing).toMatchObject({ code: 3, text: 'invalid session', circuitId });
    expect((await management().circuits.list()).data).toEqual([]);
    router.close();
  });

  it.each(['Bind', 'service'] as const)('loses its terminators when it connects again (%s)', async (side) => {
    const { router, takeAway } = await openRouter();
    const hosting = await presented(bob, 'Bind');
    await bind(router, { ...hosting, address: `t${names}` });
    router.close();
    await eventually(async () =>
      expect(await management().edgeRouters.get(router.id)).toMatchObject({ isOnline: false }),
    );
    await takeAway[side]();
    const again = await RawRouter.open(controller, router.identity);
    await eventually(async () => expect(await terminators()).toEqual([]));
    expect(again.peer.unread.filter(({ type }) => type === controlTypes.validateTerminators)).toEqual([]);
    const sessionId = decodeJwt(hosting.sessionToken).jti ?? '';
    const body = encode(ValidateSessionsRequestSchema, { sessionTokens: [sessionId] });
    again.send(controlTypes.validateSessions, { body });
    const told = await again.peer.ofType(controlTypes.sessionRemoved);
    expect(decode(SessionRemovedSchema, told.body).ids).toEqual([sessionId]);
    again.close();
  });

  it('closes what a session had there before the router connected', async () => {
    const { router, takeAway } = await openRouter();
    const { sessionToken } = await presented(ada, 'Dial');
    const body = encode(ValidateSessionsRequestSchema, { sessionTokens: [decodeJwt(sessionToken).jti ?? ''] });
    router.send(controlTypes.validateSessions, { body });
    await router.settled();
    await takeAway.service();
    // All channels of the API session: nobody knows the circuits.
    await router.peer.ofType(controlTypes.apiSessionRemoved);
    router.close();
  });
});
