import { startTestController } from '@edge-controller/sdk/testing';
import { it } from 'vitest';
it('x', async () => {
  const controller = await startTestController({logLevel:'info'});
  const router = await controller.startRouter();
  router.kill();
  await new Promise(r => setTimeout(r, 1500));
  console.log('online', (await controller.admin.management.edgeRouters.get(router.id)).isOnline);
  await controller[Symbol.asyncDispose]();
});
