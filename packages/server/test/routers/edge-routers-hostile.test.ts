import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RouterIdentity } from '@edge-controller/router-double';
import { enrollRouter } from '@edge-controller/router-double';
import { ConnectEventsSchema, encode } from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, frameHead, headerValue } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestCa } from '../support/test-ca.ts';
import { groupedHello } from './edge-routers/grouped-hello.ts';
import { connectRouter, enrolledRouter, helloFrame, RawRouter } from './edge-routers/raw-router.ts';

let controller: TestController;
let identity: RouterIdentity;
beforeAll(async () => {
  controller = await startTestController();
  identity = await enrolledRouter(controller);
});
afterAll(() => controller[Symbol.asyncDispose]());

const routers = () => controller.admin.management.edgeRouters;
/** Bytes, without what nobody needs any more. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
const bytesOf = (frame: Frame) => Buffer.concat([frameHead(frame), frame.body]);
/** The head of a frame, with lengths that may be those of no frame. */
function headOf({ magic = 0x0c090603, type = 0, sequence = -1, headers = 0, body = 0 }): Buffer {
  const bytes = Buffer.alloc(20);
  for (const [at, value] of [magic, type, sequence, headers, body].entries()) bytes.writeInt32LE(value, at * 4);
  return bytes;
}

/** Nobody hears why: the connection ends without a byte. */
async function expectRefusal(
  client: Pick<RouterIdentity, 'key' | 'cert'> | null,
  ...sent: Uint8Array[]
): Promise<void> {
  const peer = await connectRouter(controller, client);
  const got: Uint8Array[] = [];
  peer.onBytes = (bytes) => got.push(bytes);
  for (const bytes of sent) peer.write(bytes);
  await peer.closed();
  expect(Buffer.concat(got)).toEqual(Buffer.alloc(0));
}

describe('a hello', () => {
  const helloOf = (changes: Parameters<typeof helloFrame>[1] = {}) => bytesOf(helloFrame(identity, changes));

  it('is answered when it is right', async () => {
    const router = await RawRouter.open(controller, identity);
    expect(await routers().get(identity.id)).toMatchObject({ isOnline: true });
    router.close();
    await vi.waitFor(async () => expect(await routers().get(identity.id)).toMatchObject({ isOnline: false }));
  });

  it.each([
    ['another type', () => bytesOf({ ...helloFrame(identity), type: controlTypes.ping })],
    ['a heartbeat', () => bytesOf({ ...helloFrame(identity), type: 5, headers: new Map([[5, headerValue.u64(1n)]]) })],
    ['no id', () => helloOf({ id: '' })],
    ['an id of 4,000 characters', () => helloOf({ id: 'x'.repeat(4_000) })],
    ['an id that is no text', () => bytesOf({ ...helloFrame(identity), body: Uint8Array.of(0xff, 0xfe) })],
    ['the type of another channel', () => helloOf({ headers: [[controlHeaders.channelType, headerValue.text('x')]] })],
    ['no version', () => helloOf({ headers: [[controlHeaders.versionInfo, headerValue.text('')]] })],
    ['a version of 4 parts', () => helloOf({ headers: [[controlHeaders.versionInfo, headerValue.text('1|2|3|4')]] })],
    [
      'link listeners that are none',
      () => helloOf({ headers: [[controlHeaders.linkListeners, Buffer.alloc(9, 0xff)]] }),
    ],
    ['metadata that are none', () => helloOf({ headers: [[controlHeaders.routerMetadata, Buffer.alloc(9, 0xff)]] })],
    ['headers of a negative length', () => headOf({ headers: -1 })],
    ['a body of a negative length', () => headOf({ body: -2_000_000_000 })],
    ['headers of 4,193 bytes', () => headOf({ headers: 4_193 })],
    ['a body of 2 GB', () => headOf({ body: 2_147_483_647 })],
    ['a header twice', () => Buffer.concat([headOf({ headers: 16 }), Buffer.alloc(16)])],
    [
      'a header that is longer than all',
      () => Buffer.concat([headOf({ headers: 8 }), Buffer.of(4, 0, 0, 0, 9, 0, 0, 0)]),
    ],
  ])('with %s gets no answer', async (_what, bytes) => {
    await expectRefusal(identity, bytes());
  });

  it('of other bytes is answered with the versions that there are, and the end', async () => {
    const peer = await connectRouter(controller, identity);
    const got: Uint8Array[] = [];
    peer.onBytes = (bytes) => got.push(bytes);
    peer.write(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    await peer.closed();
    expect(Buffer.concat(got).toString('hex')).toBe('0306090a' + '020000000100000002000000');
  });

  it('is answered once, whatever comes with it', async () => {
    const peer = await connectRouter(controller, identity);
    const hello = bytesOf(helloFrame(identity));
    const ping = bytesOf({ type: controlTypes.ping, sequence: 7, headers: new Map(), body: new Uint8Array() });
    peer.write(Buffer.concat([hello, hello, hello, ping]));
    const types: number[] = [];
    for (let count = 0; count < 3; count += 1) types.push((await peer.take('a frame', () => true)).type);
    expect(types).toEqual([controlTypes.result, controlTypes.serverHello, controlTypes.result]);
    peer.close();
    await vi.waitFor(async () => expect(await routers().get(identity.id)).toMatchObject({ isOnline: false }));
  });
});

describe('a certificate', () => {
  const refused = async (client: Pick<RouterIdentity, 'key' | 'cert'> | null, id = identity.id) =>
    expectRefusal(client, bytesOf(helloFrame({ id })));

  it('must be there, and be that of a router of this network', async () => {
    await refused(null);
    await refused(createTestCa().client(identity.id));
    await refused(createTestCa().intermediate().client(identity.id));
    const ada = await controller.createIdentity();
    const client = await controller.clientCertificate(ada);
    await refused(client);
    await refused(client, ada.id);
  });

  it('that is self-signed, or comes in front of a good one, counts for nothing', async () => {
    const own = createTestCa(identity.id);
    const leaf = own.client(identity.id);
    await refused({ key: leaf.key, cert: leaf.cert + identity.cert });
    // The certificate of a server does not name a client.
    await refused({ key: identity.key, cert: identity.serverCert });
  });

  const { text, boolean } = headerValue;
  const grouped = (type: string) =>
    [...groupedHello, [controlHeaders.channelType, text(type)]] satisfies readonly (readonly [number, Uint8Array])[];
  it.each<[string, readonly (readonly [number, Uint8Array])[]]>([
    ['of version 1', []],
    ...['ctrl.default', 'ctrl.high', 'ctrl.low', 'ctrl.other'].map(
      (type): [string, readonly (readonly [number, Uint8Array])[]] => [`of a channel ${type}`, grouped(type)],
    ),
    ['of a further connection', [...groupedHello, [controlHeaders.isFirstOfGroup, boolean(false)]]],
    ['with a secret', [...groupedHello, [controlHeaders.groupSecret, new Uint8Array(16)]]],
  ])('of another is refused, whatever the hello is: %s', async (_what, headers) => {
    const forged = createTestCa(identity.id).client(identity.id);
    const other = await enrolledRouter(controller);
    const clients = [
      null,
      forged,
      { key: forged.key, cert: forged.cert + identity.cert },
      other,
      { key: other.key, cert: other.cert + identity.cert },
    ];
    for (const client of clients) await expectRefusal(client, bytesOf(helloFrame(identity, { headers })));
  });

  it('must be that of the router that the hello names', async () => {
    const other = await enrolledRouter(controller);
    await refused(identity, other.id);
    await refused(identity, identity.id.toUpperCase());
    await refused(identity, 'nobody');
    await refused(other, identity.id);
  });

  it('ends with the router: while it is disabled, enrolls again, or is deleted', async () => {
    const { id, ...keys } = await enrolledRouter(controller);
    await routers().patch(id, { disabled: true });
    await refused(keys, id);
    await routers().patch(id, { disabled: false });
    (await RawRouter.open(controller, { id, ...keys })).close();
    await routers().reEnroll(id);
    await refused(keys, id);
    const again = await enrollRouter({ jwt: (await routers().get(id)).enrollmentJwt ?? '' });
    await refused(keys, id);
    (await RawRouter.open(controller, again)).close();
    await routers().delete(id);
    await refused(again, id);
  });

  it('must not have expired', async () => {
    await using other = await startTestController();
    const router = await enrolledRouter(other);
    (await RawRouter.open(other, router)).close();
    await other.clock.advance(366 * 24 * 3_600_000);
    await expect(RawRouter.open(other, router)).rejects.toThrow('the connection ended');
  });
});

describe('who says nothing', () => {
  const openTcp = async (): Promise<Socket> => {
    const [, host, port] = controller.routersAddress.split(':');
    const socket = connectTcp({ host, port: Number(port) });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  it('is disconnected after 5 seconds, also when half a hello comes, or a byte of it now and then', async () => {
    const half = bytesOf(helloFrame(identity)).subarray(0, 30);
    const startedAt = performance.now();
    const silent = await Promise.all(Array.from({ length: 20 }, () => connectRouter(controller, identity)));
    for (const peer of silent.slice(10)) peer.write(half);
    const slow = silent.slice(15).map((peer, at) => setInterval(() => peer.write(half.subarray(at, at + 1)), 500));
    await Promise.all(silent.map((peer) => peer.closed()));
    for (const timer of slow) clearInterval(timer);
    expect((performance.now() - startedAt) / 1_000).toBeGreaterThan(4.5);
  });

  it('makes room for others: of 800 connections at most 500 stay, and a router is served at once', async () => {
    const router = await RawRouter.enroll(controller);
    const sockets = await Promise.all(Array.from({ length: 800 }, openTcp));
    await vi.waitFor(() => expect(sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(500));
    const other = await RawRouter.open(controller, identity);
    // It does not wait until the time of the others is over.
    expect(sockets.some(({ closed }) => !closed)).toBe(true);
    await Promise.all([router.settled(), other.settled()]);
    for (const socket of sockets) socket.destroy();
    router.close();
    other.close();
  });
});

describe('a router that is connected', () => {
  /** Their bodies may be longer than those of others. */
  const longTypes: readonly number[] = [
    ...[
      controlTypes.apiSessionHeartbeat,
      controlTypes.routerLinks,
      controlTypes.circuitConfirmation,
      controlTypes.fault,
      controlTypes.connectEvents,
    ],
  ];

  it.each([
    ['another magic number', headOf({ magic: 0x01020304 })],
    ['headers of a negative length', headOf({ headers: -1 })],
    ['a body of a negative length', headOf({ body: -1 })],
    ['headers of 300 KB', headOf({ headers: 300_000 })],
    ['a body of 5 MB', headOf({ body: 5_000_000 })],
    ['a header twice', Buffer.concat([headOf({ headers: 16 }), Buffer.alloc(16)])],
    [
      'a heartbeat of 3 bytes',
      bytesOf({ type: 5, sequence: 1, headers: new Map([[5, Buffer.alloc(3)]]), body: new Uint8Array() }),
    ],
    [
      'a reply to half a number',
      bytesOf({ type: 2, sequence: 1, headers: new Map([[1, Buffer.alloc(2)]]), body: new Uint8Array() }),
    ],
  ])('is disconnected for %s', async (_what, bytes) => {
    const router = await RawRouter.open(controller, identity);
    router.peer.write(bytes);
    await router.peer.closed();
  });

  it('may send what nobody knows, what nobody reads, and what is too long for its type', async () => {
    const router = await RawRouter.open(controller, identity);
    for (const type of [controlTypes.reconnectPing, controlTypes.hello, 77_777, -1, 2_147_483_647, 1_055])
      router.send(type, { body: Buffer.alloc(1_000, 0xff) });
    for (const type of [controlTypes.metrics, controlTypes.linkState, controlTypes.alerts])
      router.send(type, { body: Buffer.alloc(1_000, 0xff) });
    const shortTypes = Object.values(controlTypes).filter((type) => !longTypes.includes(type));
    for (const type of shortTypes) router.send(type, { body: Buffer.alloc(70_000, 0xff) });
    for (const type of longTypes) router.send(type, { body: Buffer.alloc(1_100_000, 0xff) });
    await router.settled();
    router.close();
  });

  it('makes nobody remember the long names that it gives to identities', async () => {
    const router = await RawRouter.open(controller, identity);
    await router.settled();
    const before = heapUsed();
    for (let at = 0; at < 60; at += 1) {
      const event = { identityId: `${at}${'x'.repeat(900_000)}`, isConnected: true };
      router.send(controlTypes.connectEvents, { body: encode(ConnectEventsSchema, { events: [event] }) });
      await router.settled();
    }
    expect(heapUsed() - before).toBeLessThan(20 * 1_024 * 1_024);
    router.close();
  });

  it('is disconnected for a message of a known type that is none, and connects again', async () => {
    const types = [
      ...[controlTypes.clientHello, controlTypes.apiSessionHeartbeat, controlTypes.validateSessions],
      ...[controlTypes.createTerminator, controlTypes.updateTerminator, controlTypes.removeTerminators],
      ...[controlTypes.fault, controlTypes.circuitConfirmation, controlTypes.routerLinks, controlTypes.verifyRouter],
      ...[controlTypes.routerInterfaces, controlTypes.extendRouter, controlTypes.extendRouterVerify],
      controlTypes.connectEvents,
    ];
    for (const type of types) {
      const router = await RawRouter.open(controller, identity);
      router.send(type, { body: Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]) });
      await router.peer.closed();
    }
    await vi.waitFor(async () => expect(await routers().get(identity.id)).toMatchObject({ isOnline: false }));
  });
});
