import {
  decode,
  encode,
  FaultSchema,
  FaultSubject,
  ForwardTo,
  PeerState,
  PeerStateChangesSchema,
  RouterCapability,
  RouterLinksSchema,
  RouterMetadataSchema,
  UnrouteSchema,
} from '@edge-controller/router-messages';
import type { TestController, TestRouter } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { controlHeaders, controlTypes, edgeHeaders, readHeader } from '@edge-controller/shared-types/channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { eventually } from './edge-routers/eventually.ts';
import type { Circuit } from './edge-routers/raw-requests.ts';
import { answerRoute, bind, dial } from './edge-routers/raw-requests.ts';
import { enrolledRouter, RawRouter } from './edge-routers/raw-router.ts';
import type { EdgeApplication, EdgeStream } from './router-double/edge-application.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { signIn } from './router-double/routed-network.ts';

const rerouteAttempt = 0xffff_ffff;

describe.each(storePairs)('routers with links on $stores', ({ open }) => {
  let controller: TestController;
  let serviceId: string;
  let [ada, bob] = [] as unknown as [RoutedIdentity, RoutedIdentity];
  beforeAll(async () => {
    controller = await startTestController(await open());
    ({ id: serviceId } = await controller.createService({ encryptionRequired: false }));
    [ada, bob] = [await signIn(controller), await signIn(controller)];
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  const management = () => controller.admin.management;
  const links = async () => (await management().links.list()).data;
  const circuits = async () => (await management().circuits.list()).data;

  describe('that are doubles', () => {
    let routers: readonly [TestRouter, TestRouter, TestRouter];
    let applications: readonly [EdgeApplication, EdgeApplication];
    beforeAll(async () => {
      routers = [await controller.startRouter(), await controller.startRouter(), await controller.startRouter()];
    });
    afterAll(() => Promise.all(routers.map((router) => router.stop())));
    beforeEach(async () => {
      await linked(routers);
      applications = [await bob.connect(routers[0]), await ada.connect(routers[1])];
    });
    afterEach(async () => {
      for (const application of applications) application.close();
      await eventually(() => expect(routers.map(({ state }) => state.terminators)).toEqual([[], [], []]));
    });

    async function connect() {
      const [host, caller] = applications;
      await host.host(await bob.session(serviceId, 'Bind'));
      const dialing = caller.dial(await ada.session(serviceId, 'Dial'));
      return { served: await host.accept(), dialed: await dialing };
    }
    const idOf = ({ opened }: EdgeStream) => readHeader.text(opened.headers.get(edgeHeaders.circuitId)) ?? '';
    const pathOf = async (stream: EdgeStream) => (await circuits()).find(({ id }) => id === idOf(stream))?.path;
    async function expectData({ served, dialed }: Awaited<ReturnType<typeof connect>>) {
      dialed.send('hello');
      expect(await served.text()).toBe('hello');
      served.send('welcome');
      expect(await dialed.text()).toBe('welcome');
    }

    it('show their links, and the circuits over them', async () => {
      const connection = await connect();
      await expectData(connection);
      const [host, caller] = routers;
      const path = await pathOf(connection.dialed);
      expect(path?.nodes.map(({ id, name }) => [id, name])).toEqual([caller, host].map(({ id, name }) => [id, name]));
      const [link] = path?.links ?? [];
      const shown = (await links()).find(({ id }) => id === link?.id);
      expect(shown).toMatchObject({ protocol: 'tls', state: 'Connected', down: false, iteration: expect.any(Number) });
      expect([shown?.sourceRouter.id, shown?.destRouter.id].sort()).toEqual([host.id, caller.id].sort());
      expect(shown?.connections).toHaveLength(1);
      // Existing tools read the same.
      const { 'svc-session': token = '' } = await controller.admin.authorization(controller.url);
      const fabric = await controller.admin.fetch(`${controller.url}/fabric/v1/links`, {
        headers: { 'svc-session': token },
      });
      expect(((await fabric.json()) as { data: unknown[] }).data).toHaveLength((await links()).length);
    });

    it('keep a circuit when its link breaks, on another path', async () => {
      const connection = await connect();
      const [link] = (await pathOf(connection.dialed))?.links ?? [];
      routers[0].breakLink(link?.id ?? '');
      await eventually(async () =>
        expect((await pathOf(connection.dialed))?.links.map(({ id }) => id)).not.toContain(link?.id),
      );
      await expectData(connection);
    });

    it('keep a circuit when an administrator deletes its link, which is made again', async () => {
      const connection = await connect();
      const [link] = (await pathOf(connection.dialed))?.links ?? [];
      await management().links.delete(link?.id ?? '');
      await eventually(async () =>
        expect((await pathOf(connection.dialed))?.links.map(({ id }) => id)).not.toContain(link?.id),
      );
      await expectData(connection);
      await linked(routers);
    });

    it('end a circuit with the router of its host or dialer, within half a second', async () => {
      for (const at of [0, 1] as const) {
        const { dialed, served } = await connect();
        const router = routers[at];
        await management().edgeRouters.patch(router.id, { disabled: true });
        const answeredAt = performance.now();
        await (at === 0 ? applications[0] : applications[1]).peer.closed();
        await (at === 0 ? dialed : served).closed();
        expect(performance.now() - answeredAt).toBeLessThan(500);
        expect(await circuits()).toEqual([]);
        await management().edgeRouters.patch(router.id, { disabled: false });
        await router.whenOnline();
        await linked(routers);
        for (const application of applications) application.close();
        applications = [await bob.connect(routers[0]), await ada.connect(routers[1])];
      }
    });

    it('end no circuit when a router leaves that it does not need', async () => {
      const connection = await connect();
      routers[2].kill();
      await expectData(connection);
      await routers[2].restart();
      await expectData(connection);
    });
  });

  describe('frame by frame', () => {
    const metadata = encode(RouterMetadataSchema, { capabilities: [RouterCapability.LINK_MANAGEMENT] });
    let routers: readonly [RawRouter, RawRouter, RawRouter];
    beforeEach(async () => {
      const openOne = async () =>
        RawRouter.open(controller, await enrolledRouter(controller), {
          headers: [[controlHeaders.routerMetadata, metadata]],
        });
      routers = [await openOne(), await openOne(), await openOne()];
    });
    afterEach(async () => {
      for (const router of routers) {
        router.close();
        await management()
          .edgeRouters.delete(router.id)
          .catch((error: { readonly status?: number }) => expect(error.status).toBe(404));
      }
    });
    const changesOf = async (router: RawRouter, about: string) => {
      for (;;) {
        const { body } = await router.peer.ofType(controlTypes.peerStateChanges);
        const change = decode(PeerStateChangesSchema, body).changes.find(({ id }) => id === about);
        if (change) return change;
      }
    };
    const report = (router: RawRouter, id: string, destRouterId: string, iteration = 1) =>
      router.send(controlTypes.routerLinks, {
        body: encode(RouterLinksSchema, { links: [{ id, destRouterId, linkProtocol: 'tls', iteration }] }),
      });
    const linkFault = (router: RawRouter, id: string, iteration = 1) =>
      router.send(controlTypes.fault, { body: encode(FaultSchema, { subject: FaultSubject.LINK, id, iteration }) });
    const unroutes = (router: RawRouter) =>
      router.peer.unread
        .filter(({ type }) => type === controlTypes.unroute)
        .map(({ body }) => decode(UnrouteSchema, body));
    const connect = async () => {
      const [one, , other] = routers;
      const sessionToken = await bob.session(serviceId, 'Bind');
      const address = `t-${one.id.replaceAll('.', '')}`;
      expect(await bind(other, { sessionToken, apiSessionToken: bob.token, address })).toMatchObject({
        result: 'SUCCESS',
      });
      const dialing = dial(one, { sessionToken: await ada.session(serviceId, 'Dial'), apiSessionToken: ada.token });
      return { dialing, other };
    };

    it('they learn of each other: who is there, gone, and deleted', async () => {
      const [one, other, third] = routers;
      expect(await changesOf(one, other.id)).toMatchObject({ state: PeerState.HEALTHY, version: 'v1.7.2' });
      expect(await changesOf(third, one.id)).toMatchObject({ state: PeerState.HEALTHY });
      other.close();
      expect(await changesOf(one, other.id)).toMatchObject({ state: PeerState.UNHEALTHY });
      await management().edgeRouters.delete(third.id);
      for (;;) if ((await changesOf(one, third.id)).state === PeerState.REMOVED) break;
      const quiet = await RawRouter.enroll(controller);
      await quiet.settled();
      // It does not manage its links by itself.
      expect(quiet.peer.unread.filter(({ type }) => type === controlTypes.peerStateChanges)).toEqual([]);
      quiet.close();
    });

    it('each router of the path gets its part of the route, and a failure is taken back', async () => {
      const [one, middle, other] = routers;
      report(one, 'a', middle.id);
      report(other, 'b', middle.id);
      await Promise.all([one.settled(), other.settled()]);
      const { dialing } = await connect();
      const [first, second] = await Promise.all([
        answerRoute(one),
        answerRoute(middle),
        answerRoute(other, { error: 'no' }),
      ]);
      const ingress = first.forwards[0]?.srcAddress;
      expect(first.forwards).toMatchObject([
        { srcAddress: ingress, dstAddress: 'a', dstType: ForwardTo.LINK },
        { srcAddress: 'a', dstAddress: ingress, dstType: ForwardTo.START },
      ]);
      expect(second.forwards).toMatchObject([
        { srcAddress: 'a', dstAddress: 'b', dstType: ForwardTo.LINK },
        { srcAddress: 'b', dstAddress: 'a', dstType: ForwardTo.LINK },
      ]);
      expect([first.egress, second.egress]).toEqual([undefined, undefined]);
      const [, , last] = await Promise.all([answerRoute(one), answerRoute(middle), answerRoute(other)]);
      expect(last).toMatchObject({ attempt: 1, forwards: [{ srcAddress: 'b', dstAddress: last.egress?.address }, {}] });
      const { circuitId } = (await dialing) as Circuit;
      // Those who had taken the first one.
      expect(unroutes(one)).toMatchObject([{ circuitId, now: true }]);
      expect(unroutes(middle)).toMatchObject([{ circuitId, now: true }]);
      expect(unroutes(other)).toEqual([]);
      expect((await circuits())[0]?.path).toMatchObject({
        ...{ nodes: [{ id: one.id }, { id: middle.id }, { id: other.id }], links: [{ id: 'a' }, { id: 'b' }] },
      });
    });

    it('a circuit whose link is lost gets another path with the same ends, and the other router closes its side', async () => {
      const [one, middle, other] = routers;
      for (const [router, id, dest] of [
        [one, 'direct', other],
        [one, 'x', middle],
        [middle, 'y', other],
      ] as const)
        report(router, id, dest.id);
      await Promise.all(routers.map((router) => router.settled()));
      const { dialing } = await connect();
      const [first] = await Promise.all([answerRoute(one), answerRoute(other)]);
      const { circuitId } = (await dialing) as Circuit;
      expect(first.forwards[0]).toMatchObject({ dstAddress: 'direct' });
      // An old fault says nothing.
      linkFault(one, 'direct', 0);
      linkFault(one, 'direct');
      const [moved, , egress] = await Promise.all(routers.map((router) => answerRoute(router)));
      expect(moved).toMatchObject({ circuitId, attempt: rerouteAttempt });
      expect(moved?.forwards[0]).toMatchObject({ srcAddress: first.forwards[0]?.srcAddress, dstAddress: 'x' });
      expect(egress?.egress).toBeUndefined();
      const { body } = await other.peer.ofType(controlTypes.fault);
      expect(decode(FaultSchema, body)).toMatchObject({ subject: FaultSubject.LINK, id: 'direct', iteration: 1 });
      await eventually(async () => expect((await circuits())[0]?.path.links).toMatchObject([{ id: 'x' }, { id: 'y' }]));
      // The last way is gone.
      linkFault(middle, 'y');
      await eventually(() => expect(unroutes(one)).toMatchObject([{ circuitId, now: true }]));
      await eventually(async () => expect(await circuits()).toEqual([]));
    });

    it('one path at a time, however often a router asks for another', async () => {
      const [one, , other] = routers;
      report(one, 'direct', other.id);
      await one.settled();
      const { dialing } = await connect();
      await Promise.all([answerRoute(one), answerRoute(other)]);
      const { circuitId } = (await dialing) as Circuit;
      for (let count = 0; count < 50; count += 1)
        one.send(controlTypes.fault, { body: encode(FaultSchema, { subject: FaultSubject.FORWARD, id: circuitId }) });
      await one.settled();
      const routesOf = (router: RawRouter) => router.peer.unread.filter(({ type }) => type === controlTypes.route);
      expect([routesOf(one).length, routesOf(other).length]).toEqual([1, 1]);
      await Promise.all([answerRoute(one), answerRoute(other)]);
      // What was asked for meanwhile is one more.
      const [again] = await Promise.all([answerRoute(one), answerRoute(other)]);
      expect(again).toMatchObject({ circuitId, attempt: rerouteAttempt });
      await Promise.all([one.settled(), other.settled()]);
      expect([routesOf(one).length, routesOf(other).length]).toEqual([0, 0]);
    });

    it('a circuit ends when a router of its path does not take the new one twice', async () => {
      const [one, , other] = routers;
      report(one, 'direct', other.id);
      await one.settled();
      const { dialing } = await connect();
      await Promise.all([answerRoute(one), answerRoute(other)]);
      const { circuitId } = (await dialing) as Circuit;
      one.send(controlTypes.fault, { body: encode(FaultSchema, { subject: FaultSubject.FORWARD, id: circuitId }) });
      for (let tries = 0; tries < 2; tries += 1)
        await Promise.all([answerRoute(one), answerRoute(other, { error: 'no' })]);
      await eventually(() => expect(unroutes(other)).toMatchObject([{ circuitId, now: true }]));
      expect(await circuits()).toEqual([]);
    });

    it('a circuit ends at once with the router of an end that has closed it', async () => {
      const [one, , other] = routers;
      report(one, 'direct', other.id);
      await one.settled();
      const { dialing } = await connect();
      await Promise.all([answerRoute(one), answerRoute(other)]);
      const { circuitId } = (await dialing) as Circuit;
      other.send(controlTypes.fault, { body: encode(FaultSchema, { subject: FaultSubject.EGRESS, id: circuitId }) });
      await eventually(() => expect(unroutes(one)).toMatchObject([{ circuitId, now: false }]));
      await management().edgeRouters.patch(other.id, { disabled: true });
      const removedAt = performance.now();
      await eventually(() => expect(unroutes(one)).toMatchObject([{ now: false }, { circuitId, now: true }]));
      expect(performance.now() - removedAt).toBeLessThan(500);
    });

    it('links of a router that leaves are those that it dialed', async () => {
      const [one, middle, other] = routers;
      report(one, 'from one', middle.id);
      report(middle, 'to one', one.id);
      await Promise.all([one.settled(), middle.settled()]);
      one.close();
      await eventually(async () => expect((await links()).map(({ id }) => id)).toEqual(['to one']));
      await management().edgeRouters.delete(one.id);
      const { body } = await middle.peer.ofType(controlTypes.fault);
      expect(decode(FaultSchema, body)).toMatchObject({ subject: FaultSubject.LINK, id: 'to one' });
      expect(await links()).toEqual([]);
      report(other, 'again', middle.id, 3);
      await other.settled();
      expect(await links()).toMatchObject([{ id: 'again', iteration: 3 }]);
    });
  });
});

/** Every router has one link with each other one, which both know. */
async function linked(routers: readonly TestRouter[]): Promise<void> {
  await vi.waitFor(() => {
    for (const { id, state } of routers) {
      const peers = routers.filter((one) => one.id !== id).map((one) => one.id);
      expect(state.links.map(({ routerId }) => routerId).sort()).toEqual(peers.sort());
    }
  });
}
