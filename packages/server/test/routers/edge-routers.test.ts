import { enrollRouter } from '@edge-controller/router-double';
import {
  DataStateSchema,
  decode,
  ExtendRouterErrorSchema,
  ExtendRouterRequestSchema,
  ExtendRouterResponseSchema,
  ExtendRouterVerifyRequestSchema,
  encode,
  KeyFormat,
  KeyUsage,
  RouterInterfacesSchema,
  ServerHelloSchema,
  SubscribeToDataModelRequestSchema,
} from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRouterCsr } from '../../../router-double/src/router-csr.ts';
import { storePairs } from '../support/controller.ts';
import { eventually } from './edge-routers/eventually.ts';
import { enrolledRouter, RawRouter } from './edge-routers/raw-router.ts';
import { signIn } from './router-double/routed-network.ts';

const routersAddresses = ['ctrl-1.example.org:6262', 'ctrl-2.example.org:6262'];

describe.each(storePairs)('a router on $stores', ({ open }) => {
  let controller: TestController;
  beforeAll(async () => {
    controller = await startTestController({ ...(await open()), routersAddresses });
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  const routers = () => controller.admin.management.edgeRouters;
  const shown = (id: string) => routers().get(id);

  describe('says hello, and', () => {
    it('gets an answer with all that a router wants to know', async () => {
      const reflected = [200, headerValue.text('come back')] as const;
      const router = await RawRouter.open(controller, await enrolledRouter(controller), { headers: [reflected] });
      const { welcome } = router;
      const { text, boolean, i32 } = readHeader;
      const of = (key: number) => welcome.headers.get(key);
      expect([welcome.type, welcome.sequence, welcome.body.length]).toEqual([controlTypes.result, -1, 0]);
      expect([i32(of(controlHeaders.replyFor)), boolean(of(controlHeaders.isSuccess))]).toEqual([-1, true]);
      expect(text(of(controlHeaders.connectionId))).toMatch(/^\w{22}$/);
      expect(text(of(controlHeaders.versionInfo))?.split('|')).toEqual([
        'v1.7.2',
        ...Array(2).fill('unknown'),
        'linux',
        'amd64',
      ]);
      expect(of(controlHeaders.capabilities)).toEqual(Uint8Array.of(0x1e));
      expect(text(of(200))).toBe('come back');
      const controllerId = text(of(controlHeaders.answeringId));
      expect(controllerId).toMatch(/\S{10}/);
      // Number 10 would be the secret of a group.
      expect([...welcome.headers.keys()].sort((a, b) => a - b)).toEqual([0, 1, 2, 4, 8, 12, 200]);
      router.close();
      const again = await RawRouter.enroll(controller);
      expect(text(again.welcome.headers.get(controlHeaders.answeringId))).toBe(controllerId);
      expect(text(again.welcome.headers.get(controlHeaders.connectionId))).not.toBe(
        text(of(controlHeaders.connectionId)),
      );
      again.close();
    });

    it('is asked for its listeners, which clients and administrators see', async () => {
      const router = await RawRouter.enroll(controller);
      const serverHello = await router.peer.ofType(controlTypes.serverHello);
      expect(serverHello.sequence).toBe(1);
      expect(readHeader.boolean(serverHello.headers.get(controlHeaders.hasDataModel))).toBe(true);
      const { version, data } = decode(ServerHelloSchema, serverHello.body);
      expect([version, data]).toEqual(['v1.7.2', { instant: 'true', routerModel: 'true' }]);
      expect(await shown(router.id)).toMatchObject({
        ...{ isOnline: true, hostname: '', supportedProtocols: {}, syncStatus: 'SYNC_HELLO_WAIT', interfaces: null },
        versionInfo: { version: 'v1.7.2', revision: 'revision', buildDate: '2026-01-01', os: 'linux', arch: 'amd64' },
      });
      const listener = (protocol: string, hostname: string, port: number) => ({
        advertise: { protocol, hostname, port, value: `${hostname}:${port}` },
      });
      router.sayClientHello(serverHello, {
        hostname: 'r1.example.org',
        listeners: [
          ...[listener('tls', 'r1.example.org', 3022), listener('wss', '::1', 443), {}],
          ...[listener('', 'r1.example.org', 1), listener('x'.repeat(501), 'r1.example.org', 1)],
        ],
      });
      const supportedProtocols = { tls: 'tls://r1.example.org:3022', wss: 'wss://[::1]:443' };
      await eventually(async () =>
        expect(await shown(router.id)).toMatchObject({
          ...{ syncStatus: 'SYNC_DONE', hostname: 'r1.example.org', supportedProtocols },
        }),
      );
      expect(await controller.admin.management.transitRouters.get(router.id)).toMatchObject({ isOnline: true });
      router.close();
      await eventually(async () =>
        expect(await shown(router.id)).toMatchObject({
          ...{ isOnline: false, hostname: '', supportedProtocols: {}, syncStatus: 'SYNC_UNKNOWN' },
          versionInfo: { version: '', revision: '', buildDate: '', os: '', arch: '' },
        }),
      );
    });

    it('is reached by those whose sessions it may carry', async () => {
      const router = await controller.startRouter();
      const { id: serviceId } = await controller.createService();
      const ada = await controller.createIdentity();
      const edge = await ada.signIn();
      const { edgeRouters } = await edge.sessions.create({ serviceId, type: 'Dial' });
      expect(edgeRouters.find(({ name }) => name === router.name)).toMatchObject({
        ...{ isOnline: true, supportedProtocols: { tls: router.url }, syncStatus: 'SYNC_DONE', hostname: '127.0.0.1' },
      });
      await router.stop();
    });

    it('reports its network interfaces', async () => {
      const router = await RawRouter.enroll(controller);
      const reported = { name: 'eth0', hardwareAddress: '02:00:00:00:00:01', mtu: 1_500n, index: 2n, flags: 0b110011n };
      const interfaces = [{ ...reported, addresses: ['10.0.0.1/24', 'fe80::1/64'] }];
      const body = encode(RouterInterfacesSchema, { interfaces });
      const { type, headers } = await router.ask(controlTypes.routerInterfaces, { body });
      expect([type, readHeader.boolean(headers.get(controlHeaders.isSuccess))]).toEqual([controlTypes.result, true]);
      expect(await shown(router.id)).toMatchObject({
        interfaces: [
          {
            ...{
              name: 'eth0',
              hardwareAddress: '02:00:00:00:00:01',
              mtu: 1_500,
              index: 2,
              isUp: true,
              isBroadcast: true,
            },
            ...{ isLoopback: false, isMulticast: true, isRunning: true, addresses: ['10.0.0.1/24', 'fe80::1/64'] },
          },
        ],
      });
      router.close();
    });

    it('gets the keys of session tokens, as often as it asks', async () => {
      const router = await RawRouter.enroll(controller);
      const subscribe = async (request: { currentIndex?: bigint; renew?: boolean; timelineId?: string }) => {
        router.send(controlTypes.subscribeToDataModel, { body: encode(SubscribeToDataModelRequestSchema, request) });
        return decode(DataStateSchema, (await router.peer.ofType(controlTypes.dataState)).body);
      };
      const first = await subscribe({});
      const { timelineId } = first;
      for (const request of [{ currentIndex: 1n, timelineId }, { renew: true, timelineId }, { timelineId: 'another' }])
        expect(await subscribe(request)).toEqual(first);
      expect([first.endIndex, timelineId.length > 0]).toEqual([1n, true]);
      const ada = await signIn(controller);
      const { id: serviceId } = await controller.createService();
      const { kid } = decodeProtectedHeader(await ada.session(serviceId, 'Dial'));
      const key = first.events.map(({ publicKey }) => publicKey).find((one) => one?.kid === kid);
      expect(key).toMatchObject({ usages: [KeyUsage.JWT_VALIDATION], format: KeyFormat.SUBJECT_PUBLIC_KEY_INFO });
      router.close();
    });

    it('takes the place of its own connection', async () => {
      const identity = await enrolledRouter(controller);
      const first = await RawRouter.open(controller, identity);
      const second = await RawRouter.open(controller, identity, { headers: [[0, headerValue.text('former')]] });
      await first.peer.closed();
      await second.settled();
      expect(await shown(identity.id)).toMatchObject({ isOnline: true });
      second.close();
    });
  });

  describe('is disconnected at once, and refused from then on, when an administrator', () => {
    it.each([
      ['disables it', (id: string) => routers().patch(id, { disabled: true })],
      ['lets it enroll again', (id: string) => routers().reEnroll(id)],
      ['deletes it', (id: string) => routers().delete(id)],
    ])('%s', async (_what, change) => {
      const identity = await enrolledRouter(controller);
      const router = await RawRouter.open(controller, identity);
      await change(identity.id);
      const answeredAt = performance.now();
      await router.peer.closed();
      expect(performance.now() - answeredAt).toBeLessThan(500);
      await expect(RawRouter.open(controller, identity)).rejects.toThrow('the connection ended');
    });

    it('disables it while it says hello', async () => {
      const identity = await enrolledRouter(controller);
      for (let round = 0; round < 5; round += 1) {
        const opening = RawRouter.open(controller, identity);
        await Promise.all([routers().patch(identity.id, { disabled: true }), opening.catch(() => undefined)]);
        await opening.then(({ peer }) => peer.closed()).catch(() => undefined);
        expect(await shown(identity.id)).toMatchObject({ isOnline: false });
        await routers().patch(identity.id, { disabled: false });
      }
    });

    it('and stays when something else of it changes', async () => {
      const router = await RawRouter.enroll(controller);
      await routers().patch(router.id, { cost: 7, noTraversal: true, roleAttributes: ['eu'] });
      await router.settled();
      expect(await shown(router.id)).toMatchObject({ isOnline: true, cost: 7 });
      router.close();
    });
  });

  describe('renews its certificates over the channel:', () => {
    const csrOf = ({ identity }: RawRouter, names: string[]) =>
      createRouterCsr({ id: identity.id, keyPem: identity.key, names });
    const renew = async (router: RawRouter) => {
      const csr = await csrOf(router, ['localhost']);
      router.send(controlTypes.extendRouter, {
        body: encode(ExtendRouterRequestSchema, { clientCertCsr: csr, serverCertCsr: csr, requireVerification: true }),
      });
      return decode(ExtendRouterResponseSchema, (await router.peer.ofType(controlTypes.extendRouterResponse)).body);
    };
    const verify = async (router: RawRouter, clientCertPem: string) => {
      const body = encode(ExtendRouterVerifyRequestSchema, { clientCertPem });
      return decode(ExtendRouterErrorSchema, (await router.ask(controlTypes.extendRouterVerify, { body })).body).code;
    };

    it('the old one counts until it has confirmed the new one, also on another connection', async () => {
      const router = await RawRouter.enroll(controller);
      const { id, identity } = router;
      const { fingerprint } = await shown(id);
      expect(await verify(router, identity.cert)).toBe('');
      const { clientCertPem: cert, serverCertPem } = await renew(router);
      expect(serverCertPem).toContain('BEGIN CERTIFICATE');
      expect(await shown(id)).toMatchObject({ fingerprint, unverifiedFingerprint: expect.any(String), isOnline: true });
      for (const wrong of ['', 'no PEM', serverCertPem])
        expect(await verify(router, wrong)).toBe('INVALID_CLIENT_CERT');
      router.close();
      await expect(RawRouter.open(controller, { ...identity, cert })).rejects.toThrow('the connection ended');
      const again = await RawRouter.open(controller, identity);
      const other = await RawRouter.enroll(controller);
      expect(await verify(other, cert)).toBe('INVALID_CLIENT_CERT');
      expect([await verify(again, cert), await verify(again, cert)]).toEqual(['', '']);
      expect(await shown(id)).toMatchObject({
        unverifiedFingerprint: null,
        certPem: cert,
        isVerified: true,
        isOnline: true,
      });
      await again.settled();
      await expect(RawRouter.open(controller, identity)).rejects.toThrow('the connection ended');
      (await RawRouter.open(controller, { ...identity, cert })).close();
      other.close();
    });

    it('once a second at most, also over another connection', async () => {
      const router = await RawRouter.enroll(controller);
      const startedAt = performance.now();
      await renew(router);
      const { unverifiedFingerprint } = await shown(router.id);
      router.close();
      const again = await RawRouter.open(controller, router.identity);
      const csr = await csrOf(again, ['localhost']);
      const body = encode(ExtendRouterRequestSchema, { clientCertCsr: csr, serverCertCsr: csr });
      again.send(controlTypes.extendRouter, { body });
      await again.settled();
      const { unverifiedFingerprint: second } = await shown(router.id);
      // On a busy machine the second may be over.
      if (performance.now() - startedAt < 1_000) expect(second).toBe(unverifiedFingerprint);
      await eventually(async () => {
        again.send(controlTypes.extendRouter, { body });
        await again.settled();
        expect((await shown(router.id)).unverifiedFingerprint).not.toBe(unverifiedFingerprint);
      });
      again.close();
    });

    it('without the names of the controller', async () => {
      const router = await RawRouter.enroll(controller);
      const own = new URL(controller.url).hostname;
      const csr = await csrOf(router, ['ctrl.example.org']);
      const bad = await createRouterCsr({ id: 'somebody', keyPem: router.identity.key, names: [own] });
      const body = encode(ExtendRouterRequestSchema, { clientCertCsr: bad, serverCertCsr: csr });
      router.send(controlTypes.extendRouter, { body });
      await router.settled();
      expect(await shown(router.id)).toMatchObject({ unverifiedFingerprint: null, isOnline: true });
      router.close();
    });

    it('of a router that serves no applications, too', async () => {
      const { id } = await controller.admin.management.transitRouters.create({ name: 'transit' });
      const { enrollmentJwt } = await controller.admin.management.transitRouters.get(id);
      const router = await RawRouter.open(controller, await enrollRouter({ jwt: enrollmentJwt ?? '' }));
      const { clientCertPem } = await renew(router);
      expect(await verify(router, clientCertPem)).toBe('');
      router.close();
    });
  });

  it('learns from its enrollment where to connect to', async () => {
    const { id } = await routers().create({ name: 'new' });
    const { enrollmentJwt } = await shown(id);
    const { ctrls, em, sub } = decodeJwt(enrollmentJwt ?? '');
    expect([ctrls, em, sub]).toEqual([routersAddresses.map((address) => `tls:${address}`), 'erott', id]);
  });
});
