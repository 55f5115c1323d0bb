import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestController, TestRouter } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EdgeApplication } from './router-double/edge-application.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { signIn } from './router-double/routed-network.ts';

let controller: TestController;
let serviceId: string;
let [hostIdentity, callerIdentity]: RoutedIdentity[] = [];
beforeAll(async () => {
  controller = await startTestController();
  ({ id: serviceId } = await controller.createService({ encryptionRequired: false }));
  [hostIdentity, callerIdentity] = [await signIn(controller), await signIn(controller)];
});
afterAll(() => controller[Symbol.asyncDispose]());

/** Every router has one link with each other one, which both know. */
async function linked(routers: readonly TestRouter[]): Promise<void> {
  await vi.waitFor(() => {
    for (const { id, state } of routers) {
      const peers = routers.filter((one) => one.id !== id).map((one) => one.id);
      expect(state.links.map(({ routerId }) => routerId).sort()).toEqual(peers.sort());
    }
  });
}

describe('doubles with links', () => {
  let routers: [TestRouter, TestRouter, TestRouter];
  let [host, caller] = [] as unknown as [EdgeApplication, EdgeApplication];
  beforeAll(async () => {
    routers = [await controller.startRouter(), await controller.startRouter(), await controller.startRouter()];
  });
  afterAll(() => Promise.all(routers.map((router) => router.stop())));
  beforeEach(async () => {
    await linked(routers);
    host = await hostIdentity!.connect(routers[0]);
    caller = await callerIdentity!.connect(routers[1]);
  });
  afterEach(async () => {
    host.close();
    caller.close();
    await vi.waitFor(() => expect(routers.map(({ state }) => state.terminators)).toEqual([[], [], []]));
  });

  const connected = async () => {
    await host.host(await hostIdentity!.session(serviceId, 'Bind'));
    const dialing = caller.dial(await callerIdentity!.session(serviceId, 'Dial'));
    return { served: await host.accept(), dialed: await dialing };
  };

  it('carry the data of a circuit', async () => {
    const { served, dialed } = await connected();
    dialed.send('hello');
    served.send('welcome');
    expect([await served.text(), await dialed.text()]).toEqual(['hello', 'welcome']);
    expect(routers.map(({ state }) => state.circuits.length)).toEqual([1, 1, 0]);
    served.close();
    expect(await dialed.closed()).toBe('close called');
  });

  it('lose nothing when their link breaks while data flows', async () => {
    const { served, dialed } = await connected();
    const parts = Array.from({ length: 400 }, () => randomBytes(16_384));
    const [link] = routers[0].state.links.filter(({ routerId }) => routerId === routers[1].id);
    const reading = (async () => {
      for (const part of parts) expect(Buffer.from(await served.bytes()).equals(part)).toBe(true);
    })();
    for (const [at, part] of parts.entries()) {
      dialed.send(part);
      if (at === 200) routers[0].breakLink(link!.id);
      if (at % 20 === 0) await delay(1);
    }
    await reading;
    await linked(routers);
  });

  it('end a circuit with the router of its host, and come back without it', async () => {
    const { dialed } = await connected();
    routers[0].kill();
    expect(await dialed.closed()).toBe('close called');
    await routers[0].restart();
    await linked(routers);
    host = await hostIdentity!.connect(routers[0]);
    const { served, dialed: again } = await connected();
    again.send('hello again');
    expect(await served.text()).toBe('hello again');
  });
});
