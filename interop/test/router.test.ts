import { describe, expect, it, onTestFailed } from 'vitest';
import { startNetwork } from './support/network.ts';

describe('a router', () => {
  it.each(['EC', 'RSA'] as const)(
    'with a key of the kind %s enrolls, connects, and shows where it is',
    async (keyType) => {
      await using network = await startNetwork({ keyType });
      onTestFailed(() => console.error(network.logs()));
      const { edgeRouters } = network.edge.management;
      const router = network.router(1);
      const hasAddress = async () => (await edgeRouters.get(router.id)).hostname !== '';
      await network.until('its address is known', hasAddress);

      expect(await edgeRouters.get(router.id)).toMatchObject({
        isVerified: true,
        isOnline: true,
        hostname: '127.0.0.1',
        supportedProtocols: { tls: `tls://127.0.0.1:${router.edgePort}` },
        versionInfo: { version: expect.stringMatching(/^v/), os: process.platform },
      });
      const isSynced = async () => (await edgeRouters.get(router.id)).syncStatus === 'SYNC_DONE';
      await network.until('the router knows the API sessions', isSynced);
      const hasInterfaces = async () => ((await edgeRouters.get(router.id)).interfaces?.length ?? 0) > 0;
      await network.until('its interfaces are known', hasInterfaces);

      await router.stop();
      const isOffline = async () => !(await edgeRouters.get(router.id)).isOnline;
      await network.until('the router is offline', isOffline, 1_000);
      expect(await edgeRouters.get(router.id)).toMatchObject({ hostname: '', supportedProtocols: {} });
    },
  );

  it('renews its certificates over its connection, and comes back with them', async () => {
    await using network = await startNetwork();
    onTestFailed(() => console.error(network.logs()));
    const { edgeRouters } = network.edge.management;
    const router = network.router(1);
    const before = await edgeRouters.get(router.id);
    await router.stop();
    router.start('--extend');
    const isRenewed = async () => (await edgeRouters.get(router.id)).fingerprint !== before.fingerprint;
    await network.until('the certificate is another one', isRenewed);
    const renewed = await edgeRouters.get(router.id);
    expect(renewed).toMatchObject({ isOnline: true, unverifiedFingerprint: null, unverifiedCertPem: null });
    expect(renewed.certPem).not.toBe(before.certPem);

    await router.stop();
    router.start();
    await network.online(router);
    expect((await edgeRouters.get(router.id)).fingerprint).toBe(renewed.fingerprint);
  });

  it('that enrolls again is refused with its old certificate', async () => {
    await using network = await startNetwork();
    onTestFailed(() => console.error(network.logs()));
    const { edgeRouters } = network.edge.management;
    const router = network.router(1);
    await edgeRouters.reEnroll(router.id);
    const isOffline = async () => !(await edgeRouters.get(router.id)).isOnline;
    await network.until('the router is offline', isOffline, 1_000);
    await network.until('the router was refused', async () => network.controller.log.includes('a router was refused'));
    expect(await isOffline()).toBe(true);

    await router.stop();
    await router.enroll((await edgeRouters.get(router.id)).enrollmentJwt ?? '');
    router.start();
    await network.online(router);
  });
});
