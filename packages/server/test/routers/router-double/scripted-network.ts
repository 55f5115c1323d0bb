import type { RouterDoubleOptions } from '@edge-controller/router-double';
import { RouterDouble } from '@edge-controller/router-double';
import { CreateTerminatorRequestSchema, CreateTerminatorResponseSchema } from '@edge-controller/router-messages';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { EdgeApplication } from './edge-application.ts';
import { connectApplication } from './frame-peer.ts';
import { createNetwork } from './network.ts';
import { ScriptedController, signSession } from './scripted-controller.ts';

/** A controller that does what a test says, and routers that end with their test. Call it once in a test file. */
export function useScriptedNetwork() {
  const network = createNetwork();
  const identity = network.router('r1');
  const client = network.application('app');
  const apiSession = { id: 'c1', token: 'token-1', identityId: 'app', certFingerprints: [client.fingerprint] };
  const routers: RouterDouble[] = [];
  let controller: ScriptedController;
  beforeAll(async () => {
    controller = await ScriptedController.start(network);
  });
  afterEach(() => {
    for (const router of routers.splice(0)) router.kill();
  });
  afterAll(() => controller.close());

  const bindToken = () => signSession({ jti: 's1', z_asid: 'c1', z_st: 'Bind' });

  async function start(options: Partial<RouterDoubleOptions> = {}): Promise<RouterDouble> {
    const router = await RouterDouble.start({ identity, controllers: [controller.address], ...options });
    routers.push(router);
    return router;
  }

  async function online(options: Partial<RouterDoubleOptions> = {}): Promise<RouterDouble> {
    const router = await start(options);
    await controller.welcome([apiSession]);
    await router.whenOnline();
    return router;
  }

  const open = async ({ port }: RouterDouble, token = 'token-1') =>
    EdgeApplication.open(await connectApplication(network, port, client), token);

  async function connect(router: RouterDouble): Promise<EdgeApplication> {
    const application = await open(router);
    await vi.waitFor(() => expect(router.state.applications).toBe(1));
    return application;
  }

  /** Connects an application that hosts a service. Resolves when the router has told it. */
  async function host(router: RouterDouble) {
    const application = await connect(router);
    const bound = application.host(await bindToken());
    const { message } = await controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    const created = { terminatorId: message.address };
    controller.send(controlTypes.createTerminatorResponse, CreateTerminatorResponseSchema, created);
    await bound;
    return { application, request: message, terminatorId: message.address };
  }

  return {
    ...{ network, client, apiSession, bindToken, start, online, open, connect, host },
    get controller() {
      return controller;
    },
  };
}
