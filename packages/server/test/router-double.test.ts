import type { TestController, TestRouter } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { EdgeApplication } from './router-double/edge-application.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { createService, signIn } from './router-double/routed-network.ts';

let controller: TestController;
let [serviceId, hostId, callerId]: [string, RoutedIdentity, RoutedIdentity] = [] as never;
beforeAll(async () => {
  controller = await startTestController();
  serviceId = await createService(controller, 'echo');
  [hostId, callerId] = [await signIn(controller), await signIn(controller)];
});
afterAll(() => controller[Symbol.asyncDispose]());

describe('one router', () => {
  let router: TestRouter;
  let [host, caller]: EdgeApplication[] = [];
  beforeAll(async () => {
    router = await controller.startRouter();
    [host, caller] = [await hostId.connect(router), await callerId.connect(router)];
  });
  afterAll(() => router.stop());

  it('carries data between two applications', async () => {
    await host!.host(await hostId.session(serviceId, 'Bind'));
    const dialing = caller!.dial(await callerId.session(serviceId, 'Dial'));
    const [served, dialed] = [await host!.accept(), await dialing];
    dialed.send('hello');
    served.send('welcome');
    expect([await served.text(), await dialed.text()]).toEqual(['hello', 'welcome']);
    dialed.close();
    expect(await served.closed()).toBe('close called');
    await vi.waitFor(() => expect(router.state).toMatchObject({ applications: 2, connections: 1 }));
  });
});
