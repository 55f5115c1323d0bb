import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

let controller: TestController;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

it('starts a router that is online', async () => {
  const startedAt = performance.now();
  const router = await controller.startRouter({ name: 'berlin', roleAttributes: ['eu'] });
  console.log('started', performance.now() - startedAt);
  expect(router).toMatchObject({ name: 'berlin', isOnline: true });
  expect(await controller.admin.management.edgeRouters.get(router.id)).toMatchObject({
    ...{ name: 'berlin', roleAttributes: ['eu'], isOnline: true, isVerified: true },
    supportedProtocols: { tls: router.url },
  });
  const at = performance.now();
  await router.restart();
  console.log('restarted', performance.now() - at);
});
