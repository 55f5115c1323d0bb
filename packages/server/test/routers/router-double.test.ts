import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestController, TestRouter } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
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

const bindToken = () => hostIdentity!.session(serviceId, 'Bind');
const dialToken = () => callerIdentity!.session(serviceId, 'Dial');

describe('through one router, an application', () => {
  let router: TestRouter;
  let [host, caller] = [] as unknown as [EdgeApplication, EdgeApplication];
  beforeAll(async () => {
    router = await controller.startRouter();
  });
  afterAll(() => router.stop());
  beforeEach(async () => {
    [host, caller] = [await hostIdentity!.connect(router), await callerIdentity!.connect(router)];
  });
  afterEach(async () => {
    host.close();
    caller.close();
    await vi.waitFor(() => expect(router.state).toMatchObject({ applications: 0, connections: 0, terminators: [] }));
  });

  const connected = async () => {
    await host.host(await bindToken());
    const dialing = caller.dial(await dialToken(), [[edgeHeaders.callerId, headerValue.text('Ada')]]);
    return { served: await host.accept(), dialed: await dialing };
  };

  it('dials another one, with what it says of itself, and both close each for itself', async () => {
    const { served, dialed } = await connected();
    expect(readHeader.text(served.opened.headers.get(edgeHeaders.callerId))).toBe('Ada');
    const circuitOf = ({ headers }: typeof served.opened) => readHeader.text(headers.get(edgeHeaders.circuitId));
    expect(router.state.circuits).toEqual([circuitOf(served.opened)]);
    expect(circuitOf(dialed.opened)).toBe(circuitOf(served.opened));
    dialed.send('hello', 4);
    served.send('welcome');
    dialed.send('', 1);
    const [first, last] = [await served.next(edgeTypes.data), await served.next(edgeTypes.data)];
    const flagsOf = ({ headers }: typeof first) => readHeader.u32(headers.get(edgeHeaders.flags));
    expect([String(Buffer.from(first.body)), flagsOf(first), last.body.length, flagsOf(last)]).toEqual([
      'hello',
      4,
      0,
      1,
    ]);
    expect(await dialed.text()).toBe('welcome');
    dialed.close();
    expect(await served.closed()).toBe('close called');
  });

  it('sends 20 MB, all of it and in order', async () => {
    const { served, dialed } = await connected();
    const [sent, got] = [createHash('sha256'), createHash('sha256')];
    const parts = Array.from({ length: 640 }, () => randomBytes(32_768));
    for (const part of parts) {
      sent.update(part);
      dialed.send(part);
    }
    for (const _ of parts) got.update(await served.bytes());
    expect(got.digest('hex')).toBe(sent.digest('hex'));
  });

  it('is paused while the other one does not read, and nothing is lost', async () => {
    const { served, dialed } = await connected();
    host.peer.pause();
    for (let sent = 0; sent < 1_000; sent += 1) dialed.send(randomBytes(32_768));
    await delay(200);
    expect(caller.peer.writableLength).toBeGreaterThan(10_000_000);
    host.peer.resume();
    for (let got = 0; got < 1_000; got += 1) expect((await served.bytes()).length).toBe(32_768);
    expect(caller.peer.writableLength).toBe(0);
  });

  it('learns why it was refused: by the router, the controller, or the host', async () => {
    const [bind, dial] = [await bindToken(), await dialToken()];
    const { id: noService } = await controller.createService({ encryptionRequired: false });
    await expect(caller.dial('nonsense')).rejects.toThrow('token is unverifiable');
    await expect(caller.dial(bind)).rejects.toThrow('another API session');
    await expect(caller.host(dial)).rejects.toThrow('not of a session for hosting');
    await expect(caller.dial(await callerIdentity!.session(serviceId, 'Bind'))).rejects.toThrow(
      'incorrect session type',
    );
    await expect(caller.dial(await callerIdentity!.session(noService, 'Dial'))).rejects.toThrow('no terminators');
    await host.host(bind);
    const dialing = caller.dial(dial);
    for (let tries = 0; tries < 2; tries += 1) await host.refuse('not today');
    await expect(dialing).rejects.toThrow('not today');
  });

  it('gets an answer to a latency probe', async () => {
    const sentAt = headerValue.u64(123n);
    caller.send(edgeTypes.latency, [[128, sentAt]]);
    const { headers } = await caller.peer.ofType(edgeTypes.result);
    expect([readHeader.boolean(headers.get(edgeHeaders.isSuccess)), readHeader.u64(headers.get(128))]).toEqual([
      true,
      123n,
    ]);
  });

  it('keeps its terminator when it binds again with the same listener', async () => {
    const listener: [number, Uint8Array] = [edgeHeaders.listenerId, headerValue.text('listener-1')];
    const before = await host.host(await bindToken(), [listener]);
    const { terminators } = router.state;
    await host.host(await bindToken(), [listener]);
    expect(router.state.terminators).toEqual(terminators);
    const { body } = await host.peer.ofType(edgeTypes.stateClosed);
    expect([before, String(Buffer.from(body))]).toEqual([1, 'another listener has taken over']);
  });

  it('loses its connections with its session, and with its API session', async () => {
    const { served, dialed } = await connected();
    await host.host(await bindToken());
    const sessions = await controller.admin.management.sessions.list({ filter: `type = "Dial"` });
    await Promise.all(sessions.data.map(({ id }) => controller.admin.management.sessions.delete(id)));
    expect([await dialed.closed(), await served.closed()]).toEqual(['session closed', 'close called']);
    const other = await signIn(controller);
    const application = await other.connect(router);
    await vi.waitFor(() => expect(router.state.applications).toBe(3));
    await other.signOut();
    await application.peer.closed();
  });

  it('is not accepted with the certificate of another identity', async () => {
    const application = await callerIdentity!.connect(router, hostIdentity!.token);
    await application.peer.closed();
  });
});
