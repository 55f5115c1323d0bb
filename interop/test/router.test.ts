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
});
