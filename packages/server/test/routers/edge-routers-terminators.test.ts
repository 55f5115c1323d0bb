import {
  decode,
  encode,
  RemoveTerminatorsRequestSchema,
  ValidateTerminatorsRequestSchema,
  ValidateTerminatorsResponseSchema,
  VerifyRouterSchema,
} from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import type { Frame } from '@edge-controller/shared-types/channel';
import {
  controlHeaders,
  controlTypes,
  edgeHeaders,
  headerValue,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { eventually } from './edge-routers/eventually.ts';
import type { Presented } from './edge-routers/raw-requests.ts';
import { bind, updateTerminator } from './edge-routers/raw-requests.ts';
import { RawRouter } from './edge-routers/raw-router.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { signIn } from './router-double/routed-network.ts';

const soon = 500;

describe.each(storePairs)('terminators on $stores', ({ open }) => {
  let controller: TestController;
  let [serviceId, serviceName] = ['', ''];
  let bob: RoutedIdentity;
  let router: RawRouter;
  let names = 0;
  beforeAll(async () => {
    controller = await startTestController(await open());
    // With its policies for routers.
    await (await controller.startRouter()).stop();
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  beforeEach(async () => {
    names += 1;
    ({ id: serviceId, name: serviceName } = await controller.createService({ encryptionRequired: false }));
    bob = await signIn(controller);
    router = await RawRouter.enroll(controller);
  });
  afterEach(() => router.close());

  const management = () => controller.admin.management;
  const presented = async (type: 'Dial' | 'Bind' = 'Bind', service = serviceId): Promise<Presented> => ({
    sessionToken: await bob.session(service, type),
    apiSessionToken: bob.token,
  });
  const list = async () => (await management().terminators.list({ filter: `service = "${serviceId}"` })).data;
  const idsOf = async () => (await list()).map(({ id }) => id).sort();
  const remove = (terminatorIds: string[]) =>
    router.ask(controlTypes.removeTerminators, { body: encode(RemoveTerminatorsRequestSchema, { terminatorIds }) });
  const gone = (timeout = soon) => vi.waitFor(async () => expect(await list()).toEqual([]), { timeout });

  describe('through a router', () => {
    it('are made, changed and removed', async () => {
      const tokens = await presented();
      const said = { cost: 7, precedence: 1, instanceId: 'main', peerData: { 1003: Buffer.alloc(32, 1) } };
      expect(await bind(router, { ...tokens, address: 't1', ...said })).toEqual({ result: 'SUCCESS', msg: '' });
      expect(await list()).toMatchObject([
        {
          ...{ id: 't1', address: 't1', binding: 'edge', serviceId, routerId: router.id, identity: 'main' },
          ...{ cost: 7, precedence: 'required', dynamicCost: 0 },
        },
      ]);
      const change = { ...tokens, terminatorId: 't1' };
      const costs = async () => (await list()).map(({ cost, precedence }) => [cost, precedence]);
      expect(await updateTerminator(router, { ...change, cost: 9, updateCost: true, precedence: 2 })).toBeNull();
      expect(await costs()).toEqual([[9, 'required']]);
      expect(await updateTerminator(router, { ...change, cost: 1, precedence: 2, updatePrecedence: true })).toBeNull();
      expect(await costs()).toEqual([[9, 'failed']]);
      expect(await updateTerminator(router, change)).toBeNull();
      // A router makes them again after a reconnect.
      expect(await bind(router, { ...tokens, address: 't1' })).toMatchObject({ result: 'SUCCESS' });
      expect(await costs()).toEqual([[0, 'default']]);
      await remove(['t1', 'another']);
      expect(await list()).toEqual([]);
    });

    it('with ids that no store has are those of nobody, and fail nowhere', async () => {
      const id = 'a\0b';
      const isSuccess = async (reply: Promise<Frame>) =>
        readHeader.boolean((await reply).headers.get(controlHeaders.isSuccess));
      expect(await isSuccess(remove([id, 'nobody']))).toBe(true);
      const change = { ...(await presented()), terminatorId: id, updateCost: true, cost: 1 };
      expect(await updateTerminator(router, change)).toMatchObject({ code: 8 });
      const asked = { body: encode(VerifyRouterSchema, { routerId: id, fingerprints: ['x'] }) };
      expect(await isSuccess(router.ask(controlTypes.verifyRouter, asked))).toBe(false);
    });

    it('need a session, of this type, of a service that still is, on a router that both may use', async () => {
      const tokens = await presented();
      expect(await bind(router, { ...(await presented('Dial')), address: 't1' })).toEqual({
        ...{ result: 'OTHER', msg: 'incorrect session type' },
      });
      const { id } = await management()
        .edgeRouterPolicies.list({ filter: 'name = "all test routers"' })
        .then(({ data }) => data[0]!);
      await management().edgeRouterPolicies.patch(id, { edgeRouterRoles: [] });
      expect(await bind(router, { ...tokens, address: 't1' })).toEqual({
        ...{ result: 'OTHER', msg: 'invalid edge router for session' },
      });
      await management().edgeRouterPolicies.patch(id, { edgeRouterRoles: ['#all'] });
      await eventually(async () =>
        expect(await bind(router, { ...tokens, address: 't1' })).toMatchObject({ result: 'SUCCESS' }),
      );
      const gone = { result: 'INVALID_SESSION' };
      expect(await bind(router, { ...tokens, apiSessionToken: 'another', address: 't2' })).toMatchObject(gone);
      await management().services.delete(serviceId);
      expect(await bind(router, { ...tokens, address: 't3' })).toMatchObject(gone);
      await bob.signOut();
      expect(await bind(router, { ...tokens, address: 't4' })).toMatchObject(gone);
    });
  });

  it.each(['', '.', '..', 'a/b', 'x'.repeat(101)])('need an id that a URL can have, unlike "%s"', async (address) => {
    const refused = { result: 'OTHER', msg: 'invalid terminator id' };
    expect(await bind(router, { ...(await presented()), address })).toEqual(refused);
  });

  it('are 1,000 of an identity at a service, however many API sessions it has', async () => {
    const again = await signIn(controller, { id: bob.identityId });
    const presentedAgain = { sessionToken: await again.session(serviceId, 'Bind'), apiSessionToken: again.token };
    let made = 0;
    const bindNext = (tokens: Presented) => {
      made += 1;
      return bind(router, { ...tokens, address: `many-${names}-${made}` });
    };
    const refused = { result: 'OTHER', msg: 'too many terminators of the identity at the service' };
    for (const tokens of [await presented(), presentedAgain]) {
      for (let round = 0; round < 20; round += 1) {
        const answers = await Promise.all(Array.from({ length: 25 }, () => bindNext(tokens)));
        expect(answers.filter(({ result }) => result !== 'SUCCESS')).toEqual([]);
      }
      // One that the router makes again is not one more.
      expect(await bind(router, { ...tokens, address: `many-${names}-${made}` })).toMatchObject({ result: 'SUCCESS' });
    }
    expect(await bindNext(await presented())).toEqual(refused);
    expect(await bindNext(presentedAgain)).toEqual(refused);
    const eve = await signIn(controller);
    const ofEve = { sessionToken: await eve.session(serviceId, 'Bind'), apiSessionToken: eve.token };
    expect(await bindNext(ofEve)).toMatchObject({ result: 'SUCCESS' });
    await remove([`many-${names}-1`]);
    expect(await bindNext(presentedAgain)).toMatchObject({ result: 'SUCCESS' });
  });

  describe('go with what they stand on:', () => {
    type Removal = (ids: { sessionId: string }) => Promise<unknown>;
    it.each<[string, Removal]>([
      ['the session', ({ sessionId }) => management().sessions.delete(sessionId)],
      ['the API session', () => bob.signOut()],
      ['the identity', () => management().identities.delete(bob.identityId)],
      ['the identity, disabled', () => management().identities.disable(bob.identityId, { durationMinutes: 0 })],
      ['the service', () => management().services.delete(serviceId)],
      [
        'the permission',
        async () => {
          const { data } = await management().servicePolicies.list({ filter: `name = "Bind ${serviceName}"` });
          await management().servicePolicies.patch(data[0]!.id, { identityRoles: [] });
        },
      ],
    ])('%s', async (_what, takeAway) => {
      const tokens = await presented();
      await bind(router, { ...tokens, address: `t${names}` });
      const { data } = await management().sessions.list({ filter: `service = "${serviceId}"` });
      await takeAway({ sessionId: data[0]!.id });
      // The router does nothing for it.
      await vi.waitFor(
        async () => await expect(management().terminators.get(`t${names}`)).rejects.toMatchObject({ status: 404 }),
        { timeout: soon },
      );
      expect(await bind(router, { ...tokens, address: `t${names}` })).toMatchObject({ result: 'INVALID_SESSION' });
    });

    it('not the router that leaves, only the one that is deleted', async () => {
      const tokens = await presented();
      await bind(router, { ...tokens, address: 't-left' });
      router.close();
      await eventually(async () =>
        expect(await management().edgeRouters.get(router.id)).toMatchObject({ isOnline: false }),
      );
      expect(await idsOf()).toEqual(['t-left']);
      await management().edgeRouters.delete(router.id);
      expect(await list()).toEqual([]);
    });
  });

  describe('of a router that connects again', () => {
    const validationOf = async (connected: RawRouter) => {
      const frame = await connected.peer.ofType(controlTypes.validateTerminators);
      return { frame, ...decode(ValidateTerminatorsRequestSchema, frame.body) };
    };
    const answer = (connected: RawRouter, frame: Frame, states: Record<string, { valid: boolean; marker: bigint }>) =>
      connected.reply(frame, controlTypes.validateTerminatorsResponse, {
        body: encode(ValidateTerminatorsResponseSchema, { states }),
      });

    it('are asked for: those that it has stay', async () => {
      const tokens = await presented();
      for (const address of ['t-a', 't-b', 't-c', 't-d']) await bind(router, { ...tokens, address });
      const again = await RawRouter.open(controller, router.identity);
      const { frame, terminators, fixInvalid } = await validationOf(again);
      expect(fixInvalid).toBe(true);
      expect(terminators.map(({ id, address, binding }) => [id, address, binding]).sort()).toEqual(
        ['t-a', 't-b', 't-c', 't-d'].map((id) => [id, id, 'edge']),
      );
      // One that is made again meanwhile is good, whatever was said of it before.
      expect(await bind(again, { ...tokens, address: 't-d' })).toMatchObject({ result: 'SUCCESS' });
      const marker = (id: string) => terminators.find((one) => one.id === id)?.marker ?? 99n;
      const states = { 't-a': true, 't-b': false, 't-d': false, another: false };
      answer(
        again,
        frame,
        Object.fromEntries(Object.entries(states).map(([id, valid]) => [id, { valid, marker: marker(id) }])),
      );
      await eventually(async () => expect(await idsOf()).toEqual(['t-a', 't-c', 't-d']));
      again.close();
    });

    it('whose session ended meanwhile are removed', async () => {
      await bind(router, { ...(await presented()), address: 't-ended' });
      router.close();
      await eventually(async () =>
        expect(await management().edgeRouters.get(router.id)).toMatchObject({ isOnline: false }),
      );
      await bob.signOut();
      const again = await RawRouter.open(controller, router.identity);
      await gone();
      again.close();
    });

    it('stay after a lost connection, and go after a restart', async () => {
      const double = await controller.startRouter();
      const application = await bob.connect(double);
      await application.host(await bob.session(serviceId, 'Bind'));
      const [id = ''] = await idsOf();
      double.disconnect();
      await eventually(() => expect(double.isOnline).toBe(false));
      await double.whenOnline();
      expect(await idsOf()).toEqual([id]);
      double.kill();
      await eventually(async () =>
        expect(await management().edgeRouters.get(double.id)).toMatchObject({ isOnline: false }),
      );
      expect(await idsOf()).toEqual([id]);
      await double.restart();
      await gone();
      await double.stop();
    });

    it('are gone when its application unbinds or leaves', async () => {
      const double = await controller.startRouter();
      const application = await bob.connect(double);
      const token = await bob.session(serviceId, 'Bind');
      const bound = await application.host(token, [[edgeHeaders.cost, headerValue.u16(3)]]);
      expect(await list()).toMatchObject([{ cost: 3 }]);
      application.send(60_791, [[edgeHeaders.connId, headerValue.u32(bound)]], headerValue.text(token));
      await gone();
      await application.host(token);
      application.close();
      await gone();
      await double.stop();
    });
  });
});
