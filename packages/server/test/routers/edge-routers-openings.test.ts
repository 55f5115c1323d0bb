import { decode, RouteSchema } from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, readHeader } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { storePairs } from '../support/controller.ts';
import type { Presented } from './edge-routers/raw-requests.ts';
import { bind, dial, dialMessage, routeResult } from './edge-routers/raw-requests.ts';
import { RawRouter } from './edge-routers/raw-router.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { signIn } from './router-double/routed-network.ts';

const limit = 250;
const patience = { timeout: 20_000 };
const tooMany = { code: 1, text: 'too many circuits are being opened' };

describe.each(storePairs)('circuits that a host does not answer on $stores', ({ open }) => {
  let controller: TestController;
  let [host, attacker, user] = [] as unknown as RoutedIdentity[];
  let router: RawRouter;
  /** The routes to the host `silent`. Other hosts answer at once. */
  const silentRoutes: Frame[] = [];
  const opened = new Set<number>();
  const sent = new Set<number>();

  beforeAll(async () => {
    controller = await startTestController(await open());
    // With its policies for routers.
    await (await controller.startRouter()).stop();
    [host, attacker, user] = [await signIn(controller), await signIn(controller), await signIn(controller)];
    router = await RawRouter.enroll(controller);
    const { onFrame } = router.peer;
    router.peer.onFrame = (frame) => {
      const replyFor = readHeader.i32(frame.headers.get(controlHeaders.replyFor)) ?? -1;
      if (frame.type === controlTypes.route) answerUnlessSilent(frame);
      else if (sent.has(replyFor)) opened.add(frame.type === controlTypes.createCircuitResponse ? replyFor : -1);
      else return onFrame?.(frame) ?? false;
      return true;
    };
  });
  afterAll(async () => {
    router.close();
    await controller[Symbol.asyncDispose]();
  });

  function answerUnlessSilent(frame: Frame): void {
    const route = decode(RouteSchema, frame.body);
    if (route.egress?.destination === 'silent') silentRoutes.push(frame);
    else routeResult(router, frame, route);
  }

  const presented = async (identity: RoutedIdentity | undefined, serviceId: string): Promise<Presented> => ({
    sessionToken: (await identity?.session(serviceId, 'Dial')) ?? '',
    apiSessionToken: identity?.token ?? '',
  });
  const hosted = async (serviceId: string, address: string) => {
    const sessionToken = (await host?.session(serviceId, 'Bind')) ?? '';
    const said = await bind(router, { sessionToken, apiSessionToken: host?.token ?? '', address });
    expect(said).toMatchObject({ result: 'SUCCESS' });
  };

  it('leave room for those of others', async () => {
    const { id: silent } = await controller.createService({ encryptionRequired: false });
    const { id: quick } = await controller.createService({ encryptionRequired: false });
    await hosted(silent, 'silent');
    await hosted(quick, 'quick');
    const flooding = await presented(attacker, silent);
    for (let at = 0; at < limit; at += 1) {
      sent.add(router.send(controlTypes.createCircuit, dialMessage(flooding)));
    }
    await vi.waitFor(() => expect(silentRoutes).toHaveLength(limit), patience);
    expect(await dial(router, flooding)).toMatchObject(tooMany);
    // The identity has enough, whatever it dials.
    const other = await presented(attacker, quick);
    expect(await dial(router, other)).toMatchObject(tooMany);
    // Others are served, but not by this host.
    expect(await dial(router, await presented(user, quick))).toHaveProperty('address');
    const toSilent = await presented(user, silent);
    expect(await dial(router, toSilent)).toMatchObject(tooMany);
    await hosted(silent, 'another');
    expect(await dial(router, toSilent)).toHaveProperty('address');
    // What it answers is open, and makes room.
    for (const frame of silentRoutes) routeResult(router, frame, decode(RouteSchema, frame.body));
    await vi.waitFor(() => expect(opened.size).toBeGreaterThanOrEqual(limit), patience);
    expect(opened.has(-1)).toBe(false);
    expect(await dial(router, other)).toHaveProperty('address');
  });
});
