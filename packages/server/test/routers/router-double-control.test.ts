import { setTimeout as delay } from 'node:timers/promises';
import {
  ApiSessionHeartbeatSchema,
  ApiSessionRemovedSchema,
  ConnectEventsSchema,
  CreateTerminatorRequestSchema,
  CreateTerminatorResponseSchema,
  CreateTerminatorResult,
  DataChangeSetSchema,
  DataStateSchema,
  decode,
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
} from '@edge-controller/router-messages';
import {
  controlHeaders,
  controlTypes,
  edgeTypes,
  headerValue,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { describe, expect, it, vi } from 'vitest';
import { keyEvent, ScriptedController, signSession } from './router-double/scripted-controller.ts';
import { useScriptedNetwork } from './router-double/scripted-network.ts';

const scripted = useScriptedNetwork();
const { network, apiSession, bindToken, start, online, connect, host } = scripted;

describe('the hello', () => {
  it('says who the router is, and where other routers connect to', async () => {
    const router = await start();
    const { body, headers, sequence } = await scripted.controller.accept();
    expect([String(Buffer.from(body)), sequence]).toEqual(['r1', -1]);
    expect(readHeader.text(headers.get(controlHeaders.versionInfo))!.split('|')).toHaveLength(5);
    const { listeners } = decode(LinkListenersSchema, headers.get(controlHeaders.linkListeners)!);
    expect(listeners).toMatchObject([{ address: `tls:127.0.0.1:${router.linkPort}`, groups: ['default'] }]);
  });

  it('can be another one, so that a controller can be tested', async () => {
    const extra = new Map([[controlHeaders.channelType, headerValue.text('edge.default')]]);
    await start({ hello: { id: 'another', headers: extra }, linkPort: null });
    const { body, headers } = await scripted.controller.accept();
    expect(String(Buffer.from(body))).toBe('another');
    expect([...headers.keys()].sort((a, b) => a - b)).toEqual([4, 7, 11]);
  });

  it('can be missing; then any bytes can be sent', async () => {
    const router = await start({ hello: 'none' });
    const peer = await scripted.controller.listener.accept();
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
    await scripted.controller.accept();
    scripted.controller.answerHello(changes as Parameters<ScriptedController['answerHello']>[0]);
    await scripted.controller.peer.closed();
    expect(router.isConnected).toBe(false);
    await scripted.controller.accept();
    scripted.controller.answerHello();
    await vi.waitFor(() => expect(router.isConnected).toBe(true));
  });

  it('needs the address of a controller, and free ports', async () => {
    await expect(start({ controllers: [] })).rejects.toThrow(TypeError);
    await expect(start({ controllers: ['nowhere'] })).rejects.toThrow('no address of a controller: nowhere');
    const { port, linkPort } = await start();
    await scripted.controller.accept();
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(start({ linkPort })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('is said to the next controller when one does not answer', async () => {
    await using other = { ...network.router('r2'), [Symbol.asyncDispose]: async () => second.close() };
    const second = await ScriptedController.start(network);
    const router = await start({ identity: other, controllers: [scripted.controller.address, second.address] });
    await scripted.controller.accept();
    scripted.controller.peer.close();
    await second.welcome();
    await router.whenOnline();
  });
});

describe('after a reconnect', () => {
  it('the first frame is the ping, and what was kept follows', async () => {
    const router = await online();
    const { application, terminatorId } = await host(router);
    scripted.controller.listener.disconnectAll();
    await vi.waitFor(() => expect(router.isConnected).toBe(false));
    application.close();
    const { headers } = await scripted.controller.welcome();
    expect(readHeader.text(headers.get(controlHeaders.connectionId))).toBe('c1');
    await vi.waitFor(() => expect(scripted.controller.peer.unread[0]).toMatchObject({ type: -33, sequence: -1 }));
    const removal = await scripted.controller.next(controlTypes.removeTerminators, RemoveTerminatorsRequestSchema);
    expect(removal.message.terminatorIds).toEqual([terminatorId]);
  });

  it('the connected API sessions are reported at once', async () => {
    const router = await online();
    await connect(router);
    scripted.controller.listener.disconnectAll();
    await scripted.controller.welcome([apiSession]);
    const { message } = await scripted.controller.next(controlTypes.apiSessionHeartbeat, ApiSessionHeartbeatSchema);
    expect(message.tokens).toEqual(['token-1']);
  });

  it('terminators are created again, unless the controller validates them', async () => {
    const router = await online({ timings: { validate: 30 } });
    const { request, terminatorId } = await host(router);
    scripted.controller.listener.disconnectAll();
    await scripted.controller.welcome([apiSession]);
    const again = await scripted.controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    expect(again.message).toEqual(request);
    scripted.controller.listener.disconnectAll();
    await scripted.controller.welcome([apiSession]);
    const terminators = [{ id: terminatorId, address: terminatorId, binding: 'edge', marker: 7n }];
    scripted.controller.send(controlTypes.validateTerminators, ValidateTerminatorsRequestSchema, { terminators });
    const { message: valid } = await scripted.controller.next(
      controlTypes.validateTerminatorsResponse,
      ValidateTerminatorsResponseSchema,
    );
    expect(valid.states[terminatorId]).toMatchObject({ valid: true, marker: 7n });
    await delay(60);
    expect(scripted.controller.peer.unread.map(({ type }) => type)).not.toContain(controlTypes.createTerminator);
  });
});

describe('the keys', () => {
  it('come with the data model and its changes', async () => {
    const router = await online();
    const change = (index: bigint, kid: string, isSynthetic = false) =>
      scripted.controller.send(controlTypes.dataChangeSet, DataChangeSetSchema, {
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
    scripted.controller.send(controlTypes.dataState, DataStateSchema, { events: [keyEvent('k5')] });
    await vi.waitFor(() => expect(router.state.keys).toEqual(['k5']));
  });

  it('do not count of a controller that says it has no data model', async () => {
    const router = await start();
    await scripted.controller.accept();
    scripted.controller.answerHello([[controlHeaders.capabilities, Uint8Array.of(0x0e)]]);
    scripted.controller.send(controlTypes.dataState, DataStateSchema, { events: [keyEvent('k1')] });
    scripted.controller.sendAll([]);
    await router.whenOnline();
    expect(router.state.keys).toEqual([]);
    await scripted.controller.peer.ofType(controlTypes.routerLinks);
    await delay(20);
    expect(scripted.controller.peer.unread).toEqual([]);
  });
});

describe('the controller', () => {
  it('ends the router with a sync state that no router can read', async () => {
    const router = await online();
    scripted.controller.sendAll([], '{}');
    await scripted.controller.peer.closed();
    expect(router.crash).toMatchObject({ name: 'RouterCrash' });
    await expect(router.whenOnline()).rejects.toThrow('sync state');
  });

  it('gets its heartbeats back', async () => {
    await online();
    scripted.controller.sendBytes(4_711, undefined, [[controlHeaders.heartbeat, headerValue.u64(5n)]]);
    const answered = ({ headers }: { headers: ReadonlyMap<number, Uint8Array> }) =>
      readHeader.u64(headers.get(controlHeaders.heartbeatResponse)) === 5n;
    await scripted.controller.peer.take('the heartbeat', answered);
  });

  it('learns who is connected, and the network interfaces', async () => {
    const router = await online({ timings: { connectEvents: 20, interfaces: 5 } });
    const { message } = await scripted.controller.next(controlTypes.routerInterfaces, RouterInterfacesSchema);
    expect(message.interfaces.flatMap(({ addresses }) => addresses)).toContain('127.0.0.1/8');
    const all = await scripted.controller.next(controlTypes.connectEvents, ConnectEventsSchema);
    expect(all.message).toMatchObject({ fullState: true, events: [] });
    const application = await connect(router);
    const events = async () =>
      (await scripted.controller.next(controlTypes.connectEvents, ConnectEventsSchema)).message.events;
    expect(await events()).toMatchObject([{ identityId: 'app', isConnected: true, connectTimes: [{}] }]);
    application.close();
    expect(await events()).toMatchObject([{ identityId: 'app', isConnected: false }]);
  });

  it('that is busy is asked again', async () => {
    const router = await online({ timings: { retry: 5 } });
    const application = await connect(router);
    const hosting = application.host(await bindToken());
    const create = () => scripted.controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    const { address: terminatorId } = (await create()).message;
    const answer = (result: CreateTerminatorResult, msg = '') =>
      scripted.controller.send(controlTypes.createTerminatorResponse, CreateTerminatorResponseSchema, {
        ...{ terminatorId, result, msg },
      });
    answer(CreateTerminatorResult.BUSY);
    expect((await create()).message.address).toBe(terminatorId);
    answer(CreateTerminatorResult.SUCCESS);
    await hosting;
    application.close();
    const remove = () => scripted.controller.next(controlTypes.removeTerminators, RemoveTerminatorsRequestSchema);
    scripted.controller.succeed((await remove()).frame, false);
    const { frame, message } = await remove();
    expect(message.terminatorIds).toEqual([terminatorId]);
    scripted.controller.succeed(frame);
  });

  it('refuses a terminator with a reason, which the application gets', async () => {
    const application = await connect(await online());
    const hosting = application.host(await bindToken());
    const { message } = await scripted.controller.next(controlTypes.createTerminator, CreateTerminatorRequestSchema);
    scripted.controller.send(controlTypes.createTerminatorResponse, CreateTerminatorResponseSchema, {
      ...{ terminatorId: message.address, result: CreateTerminatorResult.INVALID_SESSION, msg: 'invalid session' },
    });
    await expect(hosting).rejects.toThrow('invalid session');
  });

  it('fixes a terminator that its application does not know', async () => {
    const router = await online();
    const { application, terminatorId } = await host(router);
    application.answerInspection(0);
    const terminators = [{ id: terminatorId, address: terminatorId, binding: 'edge' }];
    const request = { terminators, fixInvalid: true };
    scripted.controller.send(controlTypes.validateTerminators, ValidateTerminatorsRequestSchema, request);
    const { message: response } = await scripted.controller.next(
      controlTypes.validateTerminatorsResponse,
      ValidateTerminatorsResponseSchema,
    );
    expect(response.states[terminatorId]).toMatchObject({ valid: false, reason: InvalidReason.BAD_STATE });
    await scripted.controller.next(controlTypes.removeTerminators, RemoveTerminatorsRequestSchema);
    expect(router.state).toMatchObject({ terminators: [], connections: 0 });
  });

  it('removes the session of a host, which then hosts no more', async () => {
    const router = await online();
    const { application, terminatorId } = await host(router);
    scripted.controller.send(controlTypes.sessionRemoved, SessionRemovedSchema, { tokens: [], ids: ['s1'] });
    scripted.controller.send(controlTypes.sessionRemoved, SessionRemovedSchema, { tokens: ['s1'], ids: ['other'] });
    await vi.waitFor(() => expect(router.state.terminators).toEqual([terminatorId]));
    scripted.controller.send(controlTypes.sessionRemoved, SessionRemovedSchema, { tokens: ['s1'], ids: ['s1'] });
    const { body } = await application.peer.ofType(edgeTypes.stateClosed);
    expect(String(Buffer.from(body))).toBe('session ended');
    const removal = await scripted.controller.next(controlTypes.removeTerminators, RemoveTerminatorsRequestSchema);
    expect(removal.message.terminatorIds).toEqual([terminatorId]);
  });

  it('learns which terminators are gone when the router stops, but not when it dies', async () => {
    const router = await online();
    const { terminatorId } = await host(router);
    await router.stop();
    const removal = await scripted.controller.next(controlTypes.removeTerminators, RemoveTerminatorsRequestSchema);
    expect(removal.message.terminatorIds).toEqual([terminatorId]);
    const other = await online();
    await host(other);
    other.kill();
    await scripted.controller.peer.closed();
    expect(scripted.controller.peer.unread.map(({ type }) => type)).not.toContain(controlTypes.removeTerminators);
  });

  it('removes a session before the answer to a dial, and the application is refused', async () => {
    const router = await online();
    const application = await connect(router);
    const dialing = application.dial(await signSession({ jti: 's2', z_asid: 'c1' }));
    await scripted.controller.peer.ofType(controlTypes.createCircuit);
    scripted.controller.send(controlTypes.sessionRemoved, SessionRemovedSchema, { tokens: ['s2'], ids: ['s2'] });
    await expect(dialing).rejects.toThrow('session closed');
    const late = application.dial(await signSession({ jti: 's2', z_asid: 'c1' }));
    await expect(late).rejects.toThrow('session closed');
    expect(router.state.connections).toBe(0);
  });

  it('removes an API session, and its connection ends', async () => {
    const application = await connect(await online());
    scripted.controller.send(controlTypes.apiSessionRemoved, ApiSessionRemovedSchema, { tokens: ['token-1'] });
    await application.peer.closed();
  });

  it('has to verify a router that wants a link', async () => {
    const router = await online();
    const other = await ScriptedController.start(network);
    await start({ identity: network.router('r2'), controllers: [other.address] });
    await other.welcome();
    const listeners = [{ address: `tls:127.0.0.1:${router.linkPort}`, protocol: 'tls', groups: ['default'] }];
    other.send(controlTypes.peerStateChanges, PeerStateChangesSchema, { changes: [{ id: 'r1', listeners }] });
    scripted.controller.succeed(await scripted.controller.peer.ofType(controlTypes.verifyRouter), false);
    const { message } = await other.next(controlTypes.fault, FaultSchema);
    expect(message).toMatchObject({ subject: FaultSubject.LINK, iteration: 1 });
    scripted.controller.succeed(await scripted.controller.peer.ofType(controlTypes.verifyRouter));
    await vi.waitFor(() => expect(router.state.links).toEqual([{ id: message.id, routerId: 'r2', iteration: 2 }]));
    const isLink = (links: readonly { id: string }[]) => links.some(({ id }) => id === message.id);
    await vi.waitFor(async () => {
      const reported = await other.next(controlTypes.routerLinks, RouterLinksSchema);
      expect(isLink(reported.message.links)).toBe(true);
    });
    other.close();
  });
});
