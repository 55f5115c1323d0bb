import { setTimeout as delay } from 'node:timers/promises';
import {
  controlHeaders,
  controlTypes,
  edgeHeaders,
  headerValue,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RouterDoubleOptions } from '../src/router-double/index.ts';
import { RouterDouble } from '../src/router-double/index.ts';
import { decode } from '../src/router-messages/codec.ts';
import {
  ApiSessionRemovedSchema,
  ConnectEventsSchema,
  CreateTerminatorRequestSchema,
  CreateTerminatorResponseSchema,
  CreateTerminatorResult,
  DataChangeSetSchema,
  DataStateSchema,
  FaultSchema,
  FaultSubject,
  InvalidReason,
  LinkListenersSchema,
  PeerStateChangesSchema,
  RemoveTerminatorsRequestSchema,
  RouterInterfacesSchema,
  RouterLinksSchema,
  SessionRemovedSchema,
  ValidateTerminatorsRequestSchema,
  ValidateTerminatorsResponseSchema,
} from '../src/router-messages/generated/router_pb.js';
import { EdgeApplication } from './router-double/edge-application.ts';
import { connectApplication } from './router-double/frame-peer.ts';
import { createNetwork } from './router-double/network.ts';
import { keyEvent, ScriptedController, signSession } from './router-double/scripted-controller.ts';

const network = createNetwork();
const identity = network.router('r1');
const client = network.application('app');
const apiSession = { id: 'c1', token: 'token-1', identityId: 'app', certFingerprints: [client.fingerprint] };

let controller: ScriptedController;
const routers: RouterDouble[] = [];
beforeAll(async () => {
  controller = await ScriptedController.start(network);
});
afterEach(() => {
  for (const router of routers.splice(0)) router.kill();
});
afterAll(() => controller.close());

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

async function connect(router: RouterDouble): Promise<EdgeApplication> {
  const application = await EdgeApplication.open(await connectApplication(network, router.port, client), 'token-1');
  await vi.waitFor(() => expect(router.state.applications).toBe(1));
  return application;
}

const bindToken = () => signSession({ jti: 's1', z_asid: 'c1', z_st: 'Bind' });

describe('the hello', () => {
  it('says who the router is, and where other routers connect to', async () => {
    const router = await start();
    const { body, headers, sequence } = await controller.accept();
    expect([String(Buffer.from(body)), sequence]).toEqual(['r1', -1]);
    expect(readHeader.text(headers.get(controlHeaders.versionInfo))!.split('|')).toHaveLength(5);
    const { listeners } = decode(LinkListenersSchema, headers.get(controlHeaders.linkListeners)!);
    expect(listeners).toMatchObject([{ address: `tls:127.0.0.1:${router.linkPort}`, groups: ['default'] }]);
  });

  it('can be another one, so that a controller can be tested', async () => {
    const extra = new Map([[controlHeaders.channelType, headerValue.text('edge.default')]]);
    await start({ hello: { id: 'another', headers: extra }, linkPort: null });
    const { body, headers } = await controller.accept();
    expect(String(Buffer.from(body))).toBe('another');
    expect([...headers.keys()].sort((a, b) => a - b)).toEqual([4, 7, 11]);
  });

  it('can be missing; then any bytes can be sent', async () => {
    const router = await start({ hello: 'none' });
    const peer = await controller.listener.accept();
    await delay(20);
    expect(peer.unread).toEqual([]);
    router.raw({ type: 7, sequence: 99, body: Buffer.from('x') });
    expect(await peer.ofType(7)).toMatchObject({ sequence: 99, headers: new Map() });
    expect(() => router.rawBytes(Buffer.from('no frame'))).not.toThrow();
  });

  it.each([
    ['without a version', [controlHeaders.versionInfo]],
    ['that is a refusal', [[controlHeaders.isSuccess, headerValue.boolean(false)]]],
    ['to something else', [[controlHeaders.replyFor, headerValue.i32(3)]]],
  ] as const)('is repeated after an answer %s', async (_, changes) => {
    const router = await start();
    await controller.accept();
    controller.answerHello(changes as Parameters<ScriptedController['answerHello']>[0]);
    await controller.peer.closed();
    expect(router.isConnected).toBe(false);
    await controller.accept();
    controller.answerHello();
    await vi.waitFor(() => expect(router.isConnected).toBe(true));
  });

  it('needs the address of a controller, and free ports', async () => {
    await expect(start({ controllers: [] })).rejects.toThrow(TypeError);
    await expect(start({ controllers: ['nowhere'] })).rejects.toThrow('no address of a controller: nowhere');
    const { port, linkPort } = await start();
    await controller.accept();
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(start({ linkPort })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('is said to the next controller when one does not answer', async () => {
    await using other = { ...network.router('r2'), [Symbol.asyncDispose]: async () => second.close() };
    const second = await ScriptedController.start(network);
    const router = await start({ identity: other, controllers: [controller.address, second.address] });
    await controller.accept();
    controller.peer.close();
    await second.welcome();
    await router.whenOnline();
  });
});

describe('after a reconnect', () => {
  it('the first frame is the ping, and what was kept follows', async () => {
    const router = await online();
    const application = await connect(router);
    const hosting = application.host(await bindToken());
    const { message } = await controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    const created = { terminatorId: message.address };
    controller.send(controlTypes.createTerminatorResponse, CreateTerminatorResponseSchema, created);
    await hosting;
    controller.listener.disconnectAll();
    await vi.waitFor(() => expect(router.isConnected).toBe(false));
    application.close();
    const { headers } = await controller.welcome();
    expect(readHeader.text(headers.get(controlHeaders.connectionId))).toBe('c1');
    await vi.waitFor(() => expect(controller.peer.unread[0]).toMatchObject({ type: -33, sequence: -1 }));
    const removal = await controller.next(controlTypes.removeTerminators, RemoveTerminatorsRequestSchema);
    expect(removal.message.terminatorIds).toEqual([message.address]);
  });

  it('terminators are created again, unless the controller validates them', async () => {
    const router = await online({ timings: { validate: 30 } });
    const application = await connect(router);
    const hosting = application.host(await bindToken());
    const { message } = await controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    const created = { terminatorId: message.address };
    controller.send(controlTypes.createTerminatorResponse, CreateTerminatorResponseSchema, created);
    await hosting;
    controller.listener.disconnectAll();
    await controller.welcome([apiSession]);
    const again = await controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    expect(again.message).toEqual(message);
    controller.listener.disconnectAll();
    await controller.welcome([apiSession]);
    const terminators = [{ id: message.address, address: message.address, binding: 'edge', marker: 7n }];
    controller.send(controlTypes.validateTerminators, ValidateTerminatorsRequestSchema, { terminators });
    const { message: valid } = await controller.next(
      controlTypes.validateTerminatorsResponse,
      ValidateTerminatorsResponseSchema,
    );
    expect(valid.states[message.address]).toMatchObject({ valid: true, marker: 7n });
    await delay(60);
    expect(controller.peer.unread.map(({ type }) => type)).not.toContain(controlTypes.createTerminator);
  });
});

describe('the keys', () => {
  it('come with the data model and its changes', async () => {
    const router = await online();
    const change = (index: bigint, kid: string, isSynthetic = false) =>
      controller.send(controlTypes.dataChangeSet, DataChangeSetSchema, {
        index,
        isSynthetic,
        changes: [keyEvent(kid)],
      });
    change(2n, 'k2');
    change(2n, 'late');
    change(0n, 'k3', true);
    change(3n, 'k4');
    await vi.waitFor(() => expect(router.state.keys).toEqual(['k1', 'k2', 'k3', 'k4']));
    expect(router.dataModel).toMatchObject({ index: 3n, timelineId: 'timeline' });
    controller.send(controlTypes.dataState, DataStateSchema, { events: [keyEvent('k5')] });
    await vi.waitFor(() => expect(router.state.keys).toEqual(['k5']));
  });

  it('do not count of a controller that says it has no data model', async () => {
    const router = await start();
    await controller.accept();
    controller.answerHello([[controlHeaders.capabilities, Uint8Array.of(0x0e)]]);
    controller.send(controlTypes.dataState, DataStateSchema, { events: [keyEvent('k1')] });
    controller.sendAll([]);
    await router.whenOnline();
    expect(router.state.keys).toEqual([]);
    await controller.peer.ofType(controlTypes.routerLinks);
    await delay(20);
    expect(controller.peer.unread).toEqual([]);
  });
});

describe('the controller', () => {
  it('ends the router with a sync state that no router can read', async () => {
    const router = await online();
    controller.sendAll([], '{}');
    await controller.peer.closed();
    expect(router.crash).toMatchObject({ name: 'RouterCrash' });
    await expect(router.whenOnline()).rejects.toThrow('sync state');
  });

  it('gets its heartbeats back', async () => {
    await online();
    controller.sendBytes(4_711, undefined, [[controlHeaders.heartbeat, headerValue.u64(5n)]]);
    const answered = ({ headers }: { headers: ReadonlyMap<number, Uint8Array> }) =>
      readHeader.u64(headers.get(controlHeaders.heartbeatResponse)) === 5n;
    await controller.peer.take('the heartbeat', answered);
  });

  it('is told who is connected, and the network interfaces', async () => {
    const router = await online({ timings: { connectEvents: 20, interfaces: 5 } });
    const { message } = await controller.next(controlTypes.routerInterfaces, RouterInterfacesSchema);
    expect(message.interfaces.flatMap(({ addresses }) => addresses)).toContain('127.0.0.1/8');
    const all = await controller.next(controlTypes.connectEvents, ConnectEventsSchema);
    expect(all.message).toMatchObject({ fullState: true, events: [] });
    const application = await connect(router);
    const events = async () => (await controller.next(controlTypes.connectEvents, ConnectEventsSchema)).message.events;
    expect(await events()).toMatchObject([{ identityId: 'app', isConnected: true, connectTimes: [{}] }]);
    application.close();
    expect(await events()).toMatchObject([{ identityId: 'app', isConnected: false }]);
  });

  it('that is busy is asked again', async () => {
    const router = await online({ timings: { retry: 5 } });
    const application = await connect(router);
    const hosting = application.host(await bindToken());
    const create = () => controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    const { address: terminatorId } = (await create()).message;
    const answer = (result: CreateTerminatorResult, msg = '') =>
      controller.send(controlTypes.createTerminatorResponse, CreateTerminatorResponseSchema, {
        ...{ terminatorId, result, msg },
      });
    answer(CreateTerminatorResult.BUSY);
    expect((await create()).message.address).toBe(terminatorId);
    answer(CreateTerminatorResult.SUCCESS);
    await hosting;
    application.close();
    const remove = () => controller.next(controlTypes.removeTerminators, RemoveTerminatorsRequestSchema);
    controller.succeed((await remove()).frame, false);
    const { frame, message } = await remove();
    expect(message.terminatorIds).toEqual([terminatorId]);
    controller.succeed(frame);
  });

  it('refuses a terminator with a reason, which the application gets', async () => {
    const application = await connect(await online());
    const hosting = application.host(await bindToken());
    const { message } = await controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    controller.send(controlTypes.createTerminatorResponse, CreateTerminatorResponseSchema, {
      ...{ terminatorId: message.address, result: CreateTerminatorResult.INVALID_SESSION, msg: 'invalid session' },
    });
    await expect(hosting).rejects.toThrow('invalid session');
  });

  it('fixes a terminator that its application does not know', async () => {
    const router = await online();
    const application = await connect(router);
    const hosting = application.host(await bindToken());
    const { message } = await controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    controller.send(controlTypes.createTerminatorResponse, CreateTerminatorResponseSchema, {
      terminatorId: message.address,
    });
    await hosting;
    application.answerInspection(0);
    const terminators = [{ id: message.address, address: message.address, binding: 'edge' }];
    const request = { terminators, fixInvalid: true };
    controller.send(controlTypes.validateTerminators, ValidateTerminatorsRequestSchema, request);
    const { message: response } = await controller.next(
      controlTypes.validateTerminatorsResponse,
      ValidateTerminatorsResponseSchema,
    );
    expect(response.states[message.address]).toMatchObject({ valid: false, reason: InvalidReason.BAD_STATE });
    await controller.next(controlTypes.removeTerminators, RemoveTerminatorsRequestSchema);
    expect(router.state).toMatchObject({ terminators: [], connections: 0 });
  });

  it('removes a session before the answer to a dial, and the application is refused', async () => {
    const router = await online();
    const application = await connect(router);
    const dialing = application.dial(await signSession({ jti: 's2', z_asid: 'c1' }));
    await controller.peer.ofType(controlTypes.createCircuit);
    controller.send(controlTypes.sessionRemoved, SessionRemovedSchema, { tokens: ['s2'], ids: ['s2'] });
    await expect(dialing).rejects.toThrow('session closed');
    const late = application.dial(await signSession({ jti: 's2', z_asid: 'c1' }));
    await expect(late).rejects.toThrow('session closed');
    expect(router.state.connections).toBe(0);
  });

  it('removes an API session, and its connection ends', async () => {
    const application = await connect(await online());
    controller.send(controlTypes.apiSessionRemoved, ApiSessionRemovedSchema, { tokens: ['token-1'] });
    await application.peer.closed();
  });

  it('has to verify a router that wants a link', async () => {
    const router = await online();
    const other = await ScriptedController.start(network);
    const peer = await RouterDouble.start({ identity: network.router('r2'), controllers: [other.address] });
    routers.push(peer);
    await other.welcome();
    const listeners = [{ address: `tls:127.0.0.1:${router.linkPort}`, protocol: 'tls', groups: ['default'] }];
    other.send(controlTypes.peerStateChanges, PeerStateChangesSchema, { changes: [{ id: 'r1', listeners }] });
    controller.succeed(await controller.peer.ofType(controlTypes.verifyRouter), false);
    const { message } = await other.next(controlTypes.fault, FaultSchema);
    expect(message).toMatchObject({ subject: FaultSubject.LINK, iteration: 1 });
    controller.succeed(await controller.peer.ofType(controlTypes.verifyRouter));
    await vi.waitFor(() => expect(router.state.links).toEqual([{ id: message.id, routerId: 'r2', iteration: 2 }]));
    const isLink = (links: readonly { id: string }[]) => links.some(({ id }) => id === message.id);
    await vi.waitFor(async () => {
      const reported = await other.next(controlTypes.routerLinks, RouterLinksSchema);
      expect(isLink(reported.message.links)).toBe(true);
    });
    other.close();
  });
});

describe('an application', () => {
  it('with an unknown token waits for its API session', async () => {
    const router = await start();
    await controller.welcome();
    await router.whenOnline();
    const application = await EdgeApplication.open(await connectApplication(network, router.port, client), 'token-1');
    const dialing = application.dial(await signSession({ jti: 's3', z_asid: 'c1' }));
    controller.sendAll([apiSession]);
    const { headers } = await controller.peer.ofType(controlTypes.createCircuit);
    expect(readHeader.texts(headers.get(controlHeaders.fingerprints))).toEqual([
      client.fingerprint,
      network.issuer.fingerprint,
    ]);
    application.close();
    await dialing.catch(() => undefined);
  });

  it('with an unknown token is dropped after a time', async () => {
    const router = await online({ timings: { unknownToken: 20 } });
    const application = await EdgeApplication.open(await connectApplication(network, router.port, client), 'unknown');
    await application.peer.closed();
  });

  it.each([
    ['of another key', { kid: 'other' }, 'public key not found'],
    ['that has expired', { claims: { exp: 1 } }, 'expired'],
    ['that is not valid yet', { claims: { nbf: 4_000_000_000 } }, 'not valid yet'],
    ['of another API session', { claims: { z_asid: 'c2' } }, 'another API session'],
    ['without a session', { claims: { jti: undefined } }, 'of no session'],
  ] as const)('cannot dial with a token %s', async (_, { kid, claims }: { kid?: string; claims?: object }, reason) => {
    const application = await connect(await online());
    const token = await signSession({ jti: 's4', z_asid: 'c1', ...claims }, kid);
    await expect(application.dial(token)).rejects.toThrow(reason);
  });

  it('that sends a header of another length loses its connection', async () => {
    const application = await connect(await online());
    application.ask(60_790, [[edgeHeaders.cost, Uint8Array.of(1)]], 'x').reply.catch(() => undefined);
    await application.peer.closed();
  });
});
