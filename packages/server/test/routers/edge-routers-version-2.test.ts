import { RouterDouble } from '@edge-controller/router-double';
import {
  DataAction,
  DataChangeSetSchema,
  DataStateSchema,
  decode,
  encode,
  KeyUsage,
  LinkListenersSchema,
  PeerStateChangesSchema,
  RouterLinksSchema,
  UpdateControllersSchema,
} from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { everythingOn } from '../support/registered-cas.ts';
import { createTestCa } from '../support/test-ca.ts';
import { eventually } from './edge-routers/eventually.ts';
import { groupedHello } from './edge-routers/grouped-hello.ts';
import { bind, dial } from './edge-routers/raw-requests.ts';
import { enrolledRouter, RawRouter } from './edge-routers/raw-router.ts';
import { signIn } from './router-double/routed-network.ts';

const { text, boolean } = headerValue;
const routerDouble = { version: 'v2.1.0' };

describe.each(storePairs)('a router of version 2 on $stores', ({ open }) => {
  let controller: TestController;
  beforeAll(async () => {
    controller = await startTestController(await open());
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  const openGrouped = async (...more: readonly (readonly [number, Uint8Array])[]) =>
    RawRouter.open(controller, await enrolledRouter(controller), { headers: [...groupedHello, ...more] });

  it('gets an answer with the secret of its channel, and what the controller can do', async () => {
    const { welcome, peer } = await openGrouped();
    const of = (key: number) => welcome.headers.get(key);
    expect(readHeader.text(of(controlHeaders.channelType))).toBe('ctrl.default');
    expect(readHeader.boolean(of(controlHeaders.isGrouped))).toBe(true);
    expect(of(controlHeaders.groupSecret)).toHaveLength(16);
    expect(of(controlHeaders.groupedCapabilities)).toEqual(Uint8Array.of(0x5e));
    expect([...welcome.headers.keys()].sort((a, b) => a - b)).toEqual([0, 1, 2, 4, 7, 8, 9, 10, 1002]);
    peer.close();
  });

  it('keeps the id and the secret of its channel when it connects again', async () => {
    const secret = Uint8Array.of(1, 2, 3);
    const again = [
      [controlHeaders.connectionId, text('the one before-1')],
      [controlHeaders.groupSecret, secret],
      [controlHeaders.channelType, text('ctrl.high')],
    ] as const;
    const { welcome, peer } = await openGrouped(...again);
    expect(readHeader.text(welcome.headers.get(controlHeaders.connectionId))).toBe('the one before-1');
    expect(welcome.headers.get(controlHeaders.groupSecret)).toEqual(secret);
    expect(readHeader.text(welcome.headers.get(controlHeaders.channelType))).toBe('ctrl.high');
    peer.close();
  });

  it('learns where the controllers are, also when it asks', async () => {
    const router = await openGrouped();
    const read = async () => decode(UpdateControllersSchema, (await router.peer.ofType(1037)).body);
    const first = await read();
    const answeringId = readHeader.text(router.welcome.headers.get(controlHeaders.answeringId));
    const endpoints = [
      expect.objectContaining({ address: controller.routersAddress.replace('127.0.0.1', 'localhost'), groups: [] }),
    ];
    expect(first).toMatchObject({ index: 1n, isLeader: true, controllers: [{ id: answeringId, endpoints }] });
    router.send(controlTypes.requestControllers);
    expect(await read()).toEqual(first);
    router.close();
  });

  it('comes back after it has closed a silent channel itself', async () => {
    const identity = await enrolledRouter(controller);
    const start = { identity, controllers: [controller.routersAddress], ...routerDouble };
    // No heartbeat is answered before the next one, so the channel is silent.
    await using router = await RouterDouble.start({ ...start, timings: { silence: 500, heartbeat: 60_000 } });
    await router.whenOnline();
    let hellos = 0;
    router.observe(({ channel, direction, frame }) => {
      if (channel === 'control' && direction === 'sent' && frame.type === controlTypes.hello) hellos += 1;
    });
    await eventually(() => expect(hellos).toBeGreaterThanOrEqual(2));
    await router.whenOnline();
  });

  it('knows the CAs of applications, as they are verified, changed and removed', async () => {
    const { cas } = controller.admin.management;
    await using router = await controller.startRouter({ version: '2' });
    const { length: own } = router.state.anchors;
    expect(own).toBeGreaterThanOrEqual(1);
    const ca = createTestCa();
    const knows = (expected: boolean) =>
      eventually(() => expect(router.state.anchors.includes(ca.fingerprint)).toBe(expected));
    const { id } = await cas.create({
      name: `factory ${own}`,
      certPem: ca.certPem,
      identityRoles: [],
      ...everythingOn,
    });
    const { verificationToken = '' } = await cas.get(id);
    expect(router.state.anchors).toHaveLength(own);
    await cas.verify(id, ca.client(verificationToken).leafPem);
    await knows(true);
    await cas.patch(id, { isAuthEnabled: false });
    await knows(false);
    await cas.patch(id, { isAuthEnabled: true });
    await knows(true);
    await cas.delete(id);
    await knows(false);
    expect(router.state.anchors).toHaveLength(own);
  });

  it('carries an application, and refuses a certificate of an outsider', async () => {
    await using router = await controller.startRouter({ version: '2' });
    const { id: serviceId } = await controller.createService({ encryptionRequired: false });
    const [host, caller] = [await signIn(controller), await signIn(controller)];
    const hosting = await host.connect(router);
    await hosting.host(await host.session(serviceId, 'Bind'));
    const calling = await caller.connect(router);
    const dialing = calling.dial(await caller.session(serviceId, 'Dial'));
    const served = await hosting.accept();
    (await dialing).send('hello');
    expect(await served.text()).toBe('hello');
    await controller.revokeSessions({ id: caller.identityId });
    await calling.peer.closed();
    hosting.close();
  });

  it.each([
    ['1', '2'],
    ['2', '1'],
    ['2', '2'],
  ] as const)('has links with others: version %s carries what version %s hosts', async (near, far) => {
    await using one = await controller.startRouter({ version: near });
    await using other = await controller.startRouter({ version: far });
    await eventually(() => expect([one, other].map(({ state }) => state.links.length)).toEqual([1, 1]));
    const { id: serviceId } = await controller.createService({ encryptionRequired: false });
    const [host, caller] = [await signIn(controller), await signIn(controller)];
    const hosting = await host.connect(other);
    await hosting.host(await host.session(serviceId, 'Bind'));
    const calling = await caller.connect(one);
    const dialing = calling.dial(await caller.session(serviceId, 'Dial'));
    const served = await hosting.accept();
    (await dialing).send('over the link');
    expect(await served.text()).toBe('over the link');
    calling.close();
    hosting.close();
  });

  it('takes back links that its full report does not name', async () => {
    await using neighbour = await controller.startRouter({ version: '2' });
    const router = await openGrouped();
    const { links } = controller.admin.management;
    const report = async (ids: readonly string[], fullRefresh: boolean) => {
      const reported = ids.map((id) => ({ id, destRouterId: neighbour.id, linkProtocol: 'tls', iteration: 1 }));
      router.send(controlTypes.routerLinks, { body: encode(RouterLinksSchema, { links: reported, fullRefresh }) });
      await router.settled();
      const { data } = await links.list();
      return data
        .filter(({ sourceRouter }) => sourceRouter.id === router.id)
        .map(({ id }) => id)
        .sort();
    };
    const [a, b] = [`a-${router.id}`, `b-${router.id}`];
    expect(await report([a, b], true)).toEqual([a, b]);
    expect(await report([], false)).toEqual([a, b]);
    expect(await report([b], true)).toEqual([b]);
    expect(await report([], true)).toEqual([]);
    router.close();
  });

  it('is informed elsewhere when it listens elsewhere', async () => {
    const [router, other] = [await openGrouped(), await openGrouped()];
    router.send(controlTypes.updateLinkListeners, {
      body: encode(LinkListenersSchema, {
        listeners: [{ address: 'tls:10.0.0.9:6000', protocol: 'tls', groups: ['default'] }],
      }),
    });
    const frame = await other.peer.take('the listener', ({ type, body }) => {
      if (type !== controlTypes.peerStateChanges) return false;
      return decode(PeerStateChangesSchema, body).changes.some(
        ({ id, listeners }) => id === router.id && listeners[0]?.address === 'tls:10.0.0.9:6000',
      );
    });
    expect(frame.type).toBe(controlTypes.peerStateChanges);
    router.close();
    other.close();
  });

  it('learns what an application may do after a refusal', async () => {
    const { id: serviceId } = await controller.createService({ encryptionRequired: false });
    const ada = await signIn(controller);
    const sessionToken = await ada.session(serviceId, 'Bind');
    const router = await openGrouped();
    const unknown = await bind(router, { sessionToken: '', apiSessionToken: ada.token, address: 'a' });
    expect(unknown).toMatchObject({ result: 'OTHER', msg: 'invalid session', hints: [3, 2] });
    const body = { sessionToken, apiSessionToken: ada.token, address: 'b', instanceId: 'x'.repeat(501) };
    expect(await bind(router, body)).toMatchObject({ result: 'OTHER', hints: [1, 3] });
    const reply = await router.ask(controlTypes.createCircuit);
    expect(readHeader.u32(reply.headers.get(controlHeaders.retryHint))).toBe(2);
    const old = await RawRouter.enroll(controller);
    expect(await bind(old, { sessionToken: '', apiSessionToken: ada.token, address: 'a' })).toEqual({
      ...{ result: 'INVALID_SESSION', msg: 'invalid session' },
    });
    expect((await old.ask(controlTypes.createCircuit)).headers.has(controlHeaders.retryHint)).toBe(false);
    router.close();
    old.close();
  });

  it('is the only one that gets what version 1 does not know', async () => {
    const { id: serviceId } = await controller.createService({ encryptionRequired: false });
    const ada = await signIn(controller);
    const [old, router] = [await RawRouter.enroll(controller), await openGrouped()];
    const usages = async ({ peer }: RawRouter) => {
      const { events } = decode(DataStateSchema, (await peer.ofType(controlTypes.dataState)).body);
      return new Set(events.flatMap(({ publicKey }) => publicKey?.usages ?? []));
    };
    for (const one of [old, router]) one.send(controlTypes.subscribeToDataModel);
    expect(await usages(old)).toEqual(new Set([KeyUsage.JWT_VALIDATION]));
    expect(await usages(router)).toEqual(new Set([KeyUsage.JWT_VALIDATION, KeyUsage.CLIENT_X509_VALIDATION]));
    const ca = createTestCa();
    const { cas } = controller.admin.management;
    const { id } = await cas.create({
      name: `mill ${old.id}`,
      certPem: ca.certPem,
      identityRoles: [],
      ...everythingOn,
    });
    const { verificationToken = '' } = await cas.get(id);
    await cas.verify(id, ca.client(verificationToken).leafPem);
    const { changes } = decode(DataChangeSetSchema, (await router.peer.ofType(controlTypes.dataChangeSet)).body);
    expect(changes.map(({ action, publicKey }) => [action, publicKey?.kid])).toEqual([
      [DataAction.CREATE, ca.fingerprint],
    ]);
    expect(
      await dial(old, { sessionToken: await ada.session(serviceId, 'Dial'), apiSessionToken: ada.token }),
    ).toBeDefined();
    await old.settled();
    const later = [controlTypes.updateControllers, controlTypes.dataChangeSet] as readonly number[];
    expect(old.peer.unread.filter(({ type }) => later.includes(type))).toEqual([]);
    await cas.delete(id);
    old.close();
    router.close();
  });

  it.each([
    ['a type that is none', [controlHeaders.channelType, text('ctrl.other')]],
    ['the type of an application', [controlHeaders.channelType, text('edge.default')]],
    ['an empty type', [controlHeaders.channelType, text('')]],
    ['a type, and no group', [controlHeaders.isGrouped, boolean(false)]],
    ['a channel of which it is not the first', [controlHeaders.isFirstOfGroup, boolean(false)]],
    ['a secret of 101 bytes', [controlHeaders.groupSecret, new Uint8Array(101)]],
    ['capabilities of 9 bytes', [controlHeaders.groupedCapabilities, new Uint8Array(9)]],
    ['listeners that are none', [controlHeaders.groupedLinkListeners, Uint8Array.of(0xff)]],
  ] as const)('is refused with %s', async (_what, header) => {
    await expect(openGrouped(header)).rejects.toThrow('the connection ended');
  });
});
