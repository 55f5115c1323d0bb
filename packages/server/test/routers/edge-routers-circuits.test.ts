import {
  CircuitConfirmationSchema,
  decode,
  encode,
  FaultSchema,
  FaultSubject,
  ForwardTo,
  RouteSchema,
  SessionRemovedSchema,
  UnrouteSchema,
} from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { deleteSessions } from './edge-routers/delete-sessions.ts';
import { eventually } from './edge-routers/eventually.ts';
import type { Circuit, Presented } from './edge-routers/raw-requests.ts';
import { answerRoute, bind, dial, routeResult } from './edge-routers/raw-requests.ts';
import { RawRouter } from './edge-routers/raw-router.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { signIn } from './router-double/routed-network.ts';

const [publicKey, stickiness] = [1_003, 1_114];

describe.each(storePairs)('circuits on $stores', ({ open }) => {
  let controller: TestController;
  let [ada, bob] = [] as unknown as [RoutedIdentity, RoutedIdentity];
  let router: RawRouter;
  let [serviceId, serviceName] = ['', ''];
  beforeAll(async () => {
    controller = await startTestController(await open());
    // With its policies for routers.
    await (await controller.startRouter()).stop();
    [ada, bob] = [await signIn(controller), await signIn(controller)];
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  beforeEach(async () => {
    ({ id: serviceId, name: serviceName } = await controller.createService({ encryptionRequired: false }));
    router = await RawRouter.enroll(controller);
  });
  afterEach(async () => {
    router.close();
    await management().edgeRouters.delete(router.id);
  });

  const management = () => controller.admin.management;
  const presented = async (identity: RoutedIdentity, type: 'Dial' | 'Bind' = 'Dial'): Promise<Presented> => ({
    sessionToken: await identity.session(serviceId, type),
    apiSessionToken: identity.token,
  });
  const host = async (address: string, said: object = {}, at = router) =>
    expect(await bind(at, { ...(await presented(bob, 'Bind')), address, ...said })).toMatchObject({
      result: 'SUCCESS',
    });
  /** Dials, and the application answers. */
  const connect = async (request: Partial<Parameters<typeof dial>[1]> = {}) => {
    const dialing = dial(router, { ...(await presented(ada)), ...request });
    const route = await answerRoute(router);
    return { route, circuit: (await dialing) as Circuit };
  };
  const unrouted = async () => {
    const { circuitId, now } = decode(UnrouteSchema, (await router.peer.ofType(controlTypes.unroute)).body);
    return [circuitId, now];
  };
  const shown = async () => (await management().circuits.list()).data;
  const fault = (subject: FaultSubject, id: string) =>
    router.send(controlTypes.fault, { body: encode(FaultSchema, { subject, id }) });

  describe('are refused', () => {
    const none = { sessionToken: 'none', apiSessionToken: 'none' };
    const refusal = async (request: Parameters<typeof dial>[1]) => {
      const answer = await dial(router, request);
      return 'code' in answer ? [answer.code, answer.text] : answer;
    };

    it('in the order of the checks', async () => {
      const dialing = await presented(ada);
      expect(await refusal(none)).toEqual([2, 'invalid api session']);
      expect(await refusal({ ...none, sessionToken: dialing.sessionToken })).toEqual([2, 'invalid api session']);
      expect(await refusal({ ...none, apiSessionToken: ada.token })).toEqual([3, 'invalid session']);
      const { id: encrypted } = await controller.createService();
      const ofEncrypted = { ...dialing, sessionToken: await ada.session(encrypted, 'Dial') };
      const ofHost = await presented(bob, 'Bind');
      const [policy] = (await management().edgeRouterPolicies.list({ filter: 'name = "all test routers"' })).data;
      await management().edgeRouterPolicies.patch(policy!.id, { edgeRouterRoles: [] });
      const withoutRouter = [await refusal(ofHost), await refusal(ofEncrypted)];
      await management().edgeRouterPolicies.patch(policy!.id, { edgeRouterRoles: ['#all'] });
      expect(withoutRouter).toEqual([
        [4, 'incorrect session type'],
        [5, 'invalid edge router for session'],
      ]);
      await eventually(async () =>
        expect(await refusal(ofEncrypted)).toEqual([11, 'encryption required on service, but no public key provided']),
      );
      const peerData = new Map([[publicKey, Buffer.alloc(32)]]);
      expect(await refusal({ ...ofEncrypted, peerData })).toEqual([1, `service ${encrypted} has no terminators`]);
      await management().services.delete(serviceId);
      expect(await refusal(dialing)).toEqual([3, 'invalid session']);
    });

    it('without a terminator that can be reached', async () => {
      const dialing = await presented(ada);
      const other = await RawRouter.enroll(controller);
      await host('t1', { instanceId: 'one' }, other);
      const text = `service ${serviceId} has no`;
      expect(await refusal(dialing)).toEqual([1, `${text} terminators for instanceId `]);
      // There is no link.
      const offline = [1, `${text} online terminators for instanceId one`];
      expect(await refusal({ ...dialing, instanceId: 'one' })).toEqual(offline);
      other.close();
      await eventually(async () =>
        expect(await management().edgeRouters.get(other.id)).toMatchObject({ isOnline: false }),
      );
      expect(await refusal({ ...dialing, instanceId: 'one' })).toEqual(offline);
      await management().edgeRouters.delete(other.id);
    });
  });

  describe('have a way:', () => {
    it('their router gets its route, then the dialer what the host says', async () => {
      await host('t1', { peerData: { [publicKey]: Buffer.alloc(32, 7) } });
      const peerData = new Map([
        [publicKey, Buffer.alloc(32, 1)],
        [1_008, Buffer.from('Ada')],
      ]);
      const { route, circuit } = await connect({ peerData });
      const { circuitId, address } = circuit;
      const egressAddress = route.egress?.address ?? '';
      expect(route).toMatchObject({
        ...{ circuitId, attempt: 0 },
        egress: { binding: 'edge', destination: 't1', peerData: Object.fromEntries(peerData) },
        forwards: [
          { srcAddress: address, dstAddress: egressAddress, dstType: ForwardTo.END },
          { srcAddress: egressAddress, dstAddress: address, dstType: ForwardTo.START },
        ],
      });
      expect(new Set([address, egressAddress, circuitId]).size).toBe(3);
      expect(Number(route.timeout) / 1e9).toBeCloseTo(10, 0);
      expect(circuit.peerData).toEqual(new Map([[publicKey, new Uint8Array(32).fill(7)]]));
      const tags = { serviceId, clientId: ada.identityId, hostId: bob.identityId };
      expect(Object.fromEntries(circuit.tags)).toEqual(tags);
      expect(await shown()).toMatchObject([
        {
          ...{ id: circuitId, clientId: ada.identityId, service: { id: serviceId }, terminator: { id: 't1' }, tags },
          path: { nodes: [{ id: router.id }], links: [] },
        },
      ]);
      fault(FaultSubject.INGRESS, circuitId);
      await unrouted();
    });

    it('to the cheapest terminator of the highest precedence', async () => {
      await host('t-dear', { cost: 100 });
      await host('t-cheap', { cost: 10 });
      await host('t-failed', { cost: 0, precedence: 2 });
      const first = await connect();
      expect(first.route.egress?.destination).toBe('t-cheap');
      await host('t-required', { cost: 60_000, precedence: 1 });
      expect((await connect()).route.egress?.destination).toBe('t-required');
    });

    it('to each of some that cost the same', async () => {
      await host('t-1');
      await host('t-2');
      const chosen = [await connect(), await connect()].map(({ route }) => route.egress?.destination);
      expect(chosen.sort()).toEqual(['t-1', 't-2']);
    });

    it('to the same terminator again, with its token', async () => {
      await management().services.patch(serviceId, { terminatorStrategy: 'sticky' });
      await host('t-1');
      await host('t-2');
      const { route, circuit } = await connect();
      const token = circuit.peerData.get(stickiness) ?? new Uint8Array();
      for (let count = 0; count < 3; count += 1) {
        const again = await connect({ peerData: new Map([[stickiness, token]]) });
        expect(again.route.egress?.destination).toBe(route.egress?.destination);
      }
      const without = await connect();
      expect(without.route.egress?.destination).not.toBe(route.egress?.destination);
    });
  });

  describe('are tried twice', () => {
    it('with new addresses, at another terminator if there is one', async () => {
      await host('t-1', { cost: 0 });
      await host('t-2', { cost: 5 });
      const dialing = dial(router, await presented(ada));
      const first = await answerRoute(router, { error: 'busy' });
      const second = await answerRoute(router);
      const circuit = (await dialing) as Circuit;
      expect([first, second].map(({ attempt, egress }) => [attempt, egress?.destination])).toEqual([
        [0, 't-1'],
        [1, 't-2'],
      ]);
      expect([first.circuitId, second.circuitId]).toEqual([circuit.circuitId, circuit.circuitId]);
      expect(second.forwards[0]?.srcAddress).toBe(circuit.address);
      expect(first.egress?.address).not.toBe(second.egress?.address);
      expect(await management().terminators.get('t-1')).toMatchObject({ dynamicCost: 20 });
    });

    it('and refused with what was said last, as far as it can be read', async () => {
      await host('t-1');
      const dialing = dial(router, await presented(ada));
      const { circuitId } = await answerRoute(router, { error: 'one' });
      await answerRoute(router, { error: Buffer.from([...Buffer.from('no \u00fc'), 0xff, 0xfe]) });
      const refused = await dialing;
      expect(refused).toMatchObject({ code: 1, circuitId });
      expect('text' in refused && refused.text).toMatch(
        /^exceeded maximum \[2\] retries creating circuit \[c\/.+\] \(no .+\)$/,
      );
      const long = dial(router, await presented(ada));
      for (let attempt = 0; attempt < 2; attempt += 1) await answerRoute(router, { error: 'x'.repeat(100_000) });
      const answer = await long;
      expect('text' in answer && answer.text.length).toBeLessThan(1_200);
      expect(await shown()).toEqual([]);
    });

    it('until the router says that it does not have the terminator, which is deleted', async () => {
      await host('t-1');
      const dialing = dial(router, await presented(ada));
      await answerRoute(router, { error: 'unknown', code: 1 });
      expect(await dialing).toMatchObject({ code: 1, text: `service ${serviceId} has no terminators` });
      await expect(management().terminators.get('t-1')).rejects.toMatchObject({ status: 404 });
    });

    it('and only their own results count', async () => {
      await host('t-1');
      const dialing = dial(router, await presented(ada));
      const frame = await router.peer.ofType(controlTypes.route);
      const { circuitId, attempt } = decode(RouteSchema, frame.body);
      // Replies to messages of an earlier connection may have the number of this one.
      routeResult(router, frame, { circuitId: 'another', attempt });
      routeResult(router, frame, { circuitId, attempt: 7, error: 'late' });
      router.reply(frame, controlTypes.result);
      expect(await unrouted()).toEqual(['another', true]);
      await router.settled();
      routeResult(router, frame, { circuitId, attempt });
      expect(await dialing).toMatchObject({ circuitId });
    });

    it('and fail at once when the router of the host is gone', async () => {
      await host('t-1');
      const dialing = dial(router, await presented(ada));
      await router.peer.ofType(controlTypes.route);
      const refused = expect(dialing).rejects.toThrow('the connection ended');
      const again = await RawRouter.open(controller, router.identity);
      await refused;
      expect(await shown()).toEqual([]);
      again.close();
    });
  });

  describe('end', () => {
    it.each([
      ['the dialer', FaultSubject.INGRESS],
      ['the host', FaultSubject.EGRESS],
    ])('with %s, once', async (_who, subject) => {
      await host('t-1');
      const { circuit } = await connect();
      fault(subject, circuit.circuitId);
      fault(subject, circuit.circuitId);
      expect(await unrouted()).toEqual([circuit.circuitId, false]);
      expect(await shown()).toEqual([]);
      // Late acknowledgements: the router is told again, for good.
      fault(FaultSubject.FORWARD, circuit.circuitId);
      expect(await unrouted()).toEqual([circuit.circuitId, true]);
      await router.settled();
      expect(router.peer.unread.filter(({ type }) => type === controlTypes.unroute)).toEqual([]);
    });

    it('when they are idle for longer than their service allows, or nobody knows them', async () => {
      await host('t-1');
      const { circuit } = await connect();
      const { circuitId } = circuit;
      const confirm = (milliseconds: number, ...ids: string[]) => {
        const idleTimes = Object.fromEntries(ids.map((id) => [id, BigInt(milliseconds) * 1_000_000n]));
        router.send(controlTypes.circuitConfirmation, {
          body: encode(CircuitConfirmationSchema, { circuitIds: ids, idleTimes }),
        });
      };
      confirm(10 ** 9, circuitId, 'another');
      expect(await unrouted()).toEqual(['another', true]);
      await management().services.patch(serviceId, { maxIdleTimeMillis: 60_000 });
      confirm(60_000, circuitId);
      await router.settled();
      expect(await shown()).toMatchObject([{ id: circuitId }]);
      confirm(60_001, circuitId);
      expect(await unrouted()).toEqual([circuitId, true]);
    });

    it('with the session of either side, at once', async () => {
      for (const type of ['Dial', 'Bind'] as const) {
        await host('t-1');
        const { circuit } = await connect();
        const filter = `service = "${serviceId}" and type = "${type}"`;
        const [session] = (await management().sessions.list({ filter })).data;
        await management().sessions.delete(session!.id);
        expect(await unrouted()).toEqual([circuit.circuitId, true]);
        const isOf = ({ type: of, body }: Frame) =>
          of === controlTypes.sessionRemoved && Buffer.from(body).includes(session!.id);
        const { ids, tokens } = decode(SessionRemovedSchema, (await router.peer.take('the end of it', isOf)).body);
        expect(ids).toContain(session!.id);
        expect(tokens).toHaveLength(ids.length);
        expect(await shown()).toEqual([]);
      }
    });

    describe.each(['dialer', 'host'] as const)('with what the %s needs, at once:', (side) => {
      const removals = {
        session: (who: RoutedIdentity) => deleteSessions(management().sessions, who),
        'API session': (who: RoutedIdentity) => deleteSessions(management().apiSessions, who),
        identity: (who: RoutedIdentity) => management().identities.delete(who.identityId),
        'right to sign in': (who: RoutedIdentity) =>
          management().identities.disable(who.identityId, { durationMinutes: 0 }),
        async policy() {
          const filter = `name = "${side === 'host' ? 'Bind' : 'Dial'} ${serviceName}"`;
          const [policy] = (await management().servicePolicies.list({ filter })).data;
          await management().servicePolicies.delete(policy!.id);
        },
        service: () => management().services.delete(serviceId),
      };
      let other: RoutedIdentity;
      const open = async () => {
        other = await signIn(controller);
        const [dialer, host] = side === 'host' ? [ada, other] : [other, bob];
        await bind(router, { ...(await presented(host, 'Bind')), address: 't-1' });
        return (await connect(await presented(dialer))).circuit.circuitId;
      };

      it.each(Object.entries(removals))('its %s, also when the other end has closed them', async (_what, remove) => {
        const circuitId = await open();
        fault(side === 'host' ? FaultSubject.INGRESS : FaultSubject.EGRESS, circuitId);
        expect(await unrouted()).toEqual([circuitId, false]);
        await remove(other);
        const removedAt = performance.now();
        expect(await unrouted()).toEqual([circuitId, true]);
        expect(performance.now() - removedAt).toBeLessThan(500);
      });

      it('before the router says that its channel is closed', async () => {
        const circuitId = await open();
        const { token } = other;
        await management().identities.delete(other.identityId);
        const isEnd = ({ type, body }: Frame) =>
          type === controlTypes.apiSessionRemoved && Buffer.from(body).includes(token);
        await router.peer.take('the end of the API session', isEnd);
        fault(side === 'host' ? FaultSubject.EGRESS : FaultSubject.INGRESS, circuitId);
        expect(await unrouted()).toEqual([circuitId, true]);
      });
    });

    it('by time alone, also when the other end has closed them', async () => {
      const edge = await (await controller.createIdentity()).signIn();
      const totp = await edge.mfa.enroll();
      await totp.verify(controller.totp(totp.secret));
      const { 'svc-session': apiSessionToken = '' } = await edge.authorization(controller.url);
      const check = { name: `code for ${serviceName}`, typeId: 'MFA' as const, timeoutSeconds: 60 };
      const { id: checkId } = await management().postureChecks.create(check);
      const [policy] = (await management().servicePolicies.list({ filter: `name = "Dial ${serviceName}"` })).data;
      await management().servicePolicies.patch(policy!.id, { postureCheckRoles: [`@${checkId}`] });
      await host('t-1');
      const { token: sessionToken } = await edge.sessions.create({ serviceId, type: 'Dial' });
      const [dialed] = await Promise.all([dial(router, { sessionToken, apiSessionToken }), answerRoute(router)]);
      const { circuitId } = dialed as Circuit;
      fault(FaultSubject.EGRESS, circuitId);
      expect(await unrouted()).toEqual([circuitId, false]);
      await controller.clock.advance(61_000);
      expect(await unrouted()).toEqual([circuitId, true]);
    });

    it('before they are open, when a right ends meanwhile', async () => {
      for (const type of ['Dial', 'Bind'] as const) {
        await host('t-1');
        const dialing = dial(router, await presented(ada));
        const frame = await router.peer.ofType(controlTypes.route);
        const { circuitId, attempt } = decode(RouteSchema, frame.body);
        const filter = `service = "${serviceId}" and type = "${type}"`;
        const [session] = (await management().sessions.list({ filter })).data;
        await management().sessions.delete(session!.id);
        routeResult(router, frame, { circuitId, attempt });
        expect(await dialing).toMatchObject({ code: 3, text: 'invalid session', circuitId });
        expect(await unrouted()).toEqual([circuitId, true]);
        expect(await shown()).toEqual([]);
      }
    });

    it('and open no more, once a host has lost its right', async () => {
      await host('t-1');
      const dialing = await presented(ada);
      const [policy] = (await management().servicePolicies.list({ filter: `name = "Bind ${serviceName}"` })).data;
      await management().servicePolicies.patch(policy!.id, { identityRoles: [] });
      expect(await dial(router, dialing)).toMatchObject({ code: 1, text: `service ${serviceId} has no terminators` });
      expect(router.peer.unread.filter(({ type }) => type === controlTypes.route)).toEqual([]);
    });
  });
});
