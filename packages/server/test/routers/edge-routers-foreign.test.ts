import {
  ApiSessionHeartbeatSchema,
  ApiSessionRemovedSchema,
  CircuitConfirmationSchema,
  decode,
  encode,
  FaultSchema,
  FaultSubject,
  RemoveTerminatorsRequestSchema,
  RouterLinksSchema,
  SessionRemovedSchema,
  UnrouteSchema,
  ValidateSessionsRequestSchema,
  VerifyRouterSchema,
} from '@edge-controller/router-messages';
import type { TestController, TestRouter } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import {
  controlHeaders,
  controlTypes,
  edgeHeaders,
  headerValue,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Presented } from './edge-routers/raw-requests.ts';
import { bind, dial, dialMessage, updateTerminator } from './edge-routers/raw-requests.ts';
import { RawRouter } from './edge-routers/raw-router.ts';
import type { EdgeApplication, EdgeStream } from './router-double/edge-application.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { signIn } from './router-double/routed-network.ts';

let controller: TestController;
let routers: [TestRouter, TestRouter];
let serviceId: string;
let [ada, bob] = [] as unknown as [RoutedIdentity, RoutedIdentity];
/** Enrolled, connected, and not what it should be. It knows every token. */
let eve: RawRouter;
let connection: { readonly served: EdgeStream; readonly dialed: EdgeStream };
let applications: EdgeApplication[] = [];

beforeAll(async () => {
  controller = await startTestController();
  routers = [await controller.startRouter(), await controller.startRouter()];
  ({ id: serviceId } = await controller.createService({ encryptionRequired: false }));
  [ada, bob] = [await signIn(controller), await signIn(controller)];
  eve = await RawRouter.enroll(controller);
  await vi.waitFor(() => expect(routers[0].state.links.length).toBeGreaterThan(0));
});
afterAll(async () => {
  eve.close();
  await controller[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const [host, caller] = [await bob.connect(routers[0]), await ada.connect(routers[1])];
  await host.host(await bob.session(serviceId, 'Bind'));
  const dialing = caller.dial(await ada.session(serviceId, 'Dial'));
  connection = { served: await host.accept(), dialed: await dialing };
  applications = [host, caller];
});
afterEach(async () => {
  // Whatever was said, the connection of the others carries data in both ways.
  await eve.settled();
  connection.dialed.send('hello');
  expect(await connection.served.text()).toBe('hello');
  connection.served.send('welcome');
  expect(await connection.dialed.text()).toBe('welcome');
  for (const application of applications) application.close();
  await vi.waitFor(() => expect(routers.map(({ state }) => state.terminators)).toEqual([[], []]));
});

const circuitId = () => readHeader.text(connection.dialed.opened.headers.get(edgeHeaders.circuitId)) ?? '';
const terminatorId = () => routers[0].state.terminators[0] ?? '';
const presentedBy = async (identity: RoutedIdentity, type: 'Dial' | 'Bind'): Promise<Presented> => ({
  sessionToken: await identity.session(serviceId, type),
  apiSessionToken: identity.token,
});
/** The circuits that the controller tells it to forget. */
async function unrouted(count: number): Promise<string[]> {
  const frames = Array.from({ length: count }, () => eve.peer.ofType(controlTypes.unroute));
  return (await Promise.all(frames)).map(({ body }) => decode(UnrouteSchema, body).circuitId);
}

describe('a router that speaks of what is of others', () => {
  it('makes, changes and removes no terminators of other routers', async () => {
    const id = terminatorId();
    const presented = await presentedBy(bob, 'Bind');
    expect(await bind(eve, { ...presented, address: id })).toMatchObject({ result: 'ID_CONFLICT' });
    const change = { ...presented, terminatorId: id, updateCost: true, cost: 7 };
    expect(await updateTerminator(eve, change)).toMatchObject({ code: 8, text: 'invalid terminator' });
    const removed = await eve.ask(controlTypes.removeTerminators, {
      body: encode(RemoveTerminatorsRequestSchema, { terminatorIds: [id, 'nobody'] }),
    });
    // For the router, an unknown one is gone.
    expect(readHeader.boolean(removed.headers.get(controlHeaders.isSuccess))).toBe(true);
    const { data } = await controller.admin.management.terminators.list();
    expect(data).toMatchObject([{ id, cost: 0, routerId: routers[0].id }]);
  });

  it('ends no circuits, and moves none', async () => {
    const id = circuitId();
    const fault = (subject: FaultSubject, ids: string) =>
      eve.send(controlTypes.fault, { body: encode(FaultSchema, { subject, id: ids }) });
    fault(FaultSubject.INGRESS, id);
    fault(FaultSubject.EGRESS, id);
    fault(FaultSubject.FORWARD, `${id} nobody ${id}`);
    fault(FaultSubject.UNKNOWN_OWNER_FORWARD, `${id} nobody`);
    // It is told to forget what it should not have.
    expect(await unrouted(2)).toEqual([id, 'nobody']);
    const confirmed = { circuitIds: [id, 'other', id], idleTimes: { [id]: 10n ** 18n } };
    eve.send(controlTypes.circuitConfirmation, { body: encode(CircuitConfirmationSchema, confirmed) });
    expect(await unrouted(2)).toEqual([id, 'other']);
    const isRouted = [controlHeaders.isRouted, headerValue.boolean(true)] as const;
    for (const body of [headerValue.text(id), headerValue.text('another'), Uint8Array.of(0xff)])
      eve.send(controlTypes.routeResult, { headers: [isRouted, [1, headerValue.i32(99)]], body });
    expect(await unrouted(3)).toEqual([id, 'another', '\ufffd']);
    expect(routers[0].state.circuits).toContain(id);
    expect((await controller.admin.management.circuits.list()).data).toMatchObject([{ id }]);
  });

  it('breaks no links, and reports none for others', async () => {
    const [{ id = '', iteration = 0 } = {}] = routers[0].state.links;
    for (const subject of [FaultSubject.LINK, FaultSubject.LINK_DUPLICATE])
      eve.send(controlTypes.fault, { body: encode(FaultSchema, { subject, id, iteration: iteration + 1 }) });
    const said = { linkProtocol: 'tls', iteration: 1_000 };
    const links = [
      { ...said, id, destRouterId: eve.id },
      { ...said, id, destRouterId: routers[1].id },
      { ...said, id: 'to itself', destRouterId: eve.id },
      { ...said, id: 'x'.repeat(101), destRouterId: routers[1].id },
      { ...said, id: '', destRouterId: routers[1].id },
      { ...said, id: 'own', destRouterId: routers[1].id },
    ];
    eve.send(controlTypes.routerLinks, { body: encode(RouterLinksSchema, { links }) });
    await eve.settled();
    const shown = (await controller.admin.management.links.list()).data;
    expect(shown.find((link) => link.id === id)).toMatchObject({ iteration });
    const own = shown.filter(({ sourceRouter }) => sourceRouter.id === eve.id);
    expect(own).toMatchObject([{ id: 'own' }]);
    eve.send(controlTypes.fault, {
      body: encode(FaultSchema, { subject: FaultSubject.LINK, id: 'own', iteration: 1_000 }),
    });
  });

  it('learns of no other router whether a certificate is its own, unless it has it', async () => {
    const { fingerprint } = await controller.admin.management.edgeRouters.get(routers[0].id);
    const verify = async (routerId: string, fingerprints: string[]) => {
      const reply = await eve.ask(controlTypes.verifyRouter, {
        body: encode(VerifyRouterSchema, { routerId, fingerprints }),
      });
      return readHeader.boolean(reply.headers.get(controlHeaders.isSuccess));
    };
    expect(await verify(routers[0].id, [fingerprint ?? ''])).toBe(true);
    // Only the leaf counts.
    expect(await verify(routers[0].id, ['0'.repeat(40), fingerprint ?? ''])).toBe(false);
    expect(await verify(routers[1].id, [fingerprint ?? ''])).toBe(false);
    expect(await verify('nobody', [])).toBe(false);
  });

  it('keeps no API session alive that it invents, and ends no session of others', async () => {
    const tokens = ['invented', 'x'.repeat(5_000), ''];
    eve.send(controlTypes.apiSessionHeartbeat, { body: encode(ApiSessionHeartbeatSchema, { tokens }) });
    const { body } = await eve.peer.ofType(controlTypes.apiSessionRemoved);
    expect(decode(ApiSessionRemovedSchema, body).tokens).toEqual(tokens);
    const sessionTokens = ['invented', (await controller.admin.management.sessions.list()).data[0]?.id ?? ''];
    eve.send(controlTypes.validateSessions, { body: encode(ValidateSessionsRequestSchema, { sessionTokens }) });
    const ended = decode(SessionRemovedSchema, (await eve.peer.ofType(controlTypes.sessionRemoved)).body);
    expect([ended.ids, ended.tokens]).toEqual([['invented'], ['invented']]);
  });
});

describe('tokens that are no right', () => {
  const refusal = { session: [3, 'invalid session'], apiSession: [2, 'invalid api session'] } as const;
  const refusalOf = async (presented: Presented) => {
    const answer = await dial(eve, presented);
    return 'code' in answer ? [answer.code, answer.text] : answer;
  };

  it('open no circuit: those of other API sessions, of another type, invented ones', async () => {
    const [own, others] = [await presentedBy(ada, 'Dial'), await presentedBy(bob, 'Dial')];
    const { apiSessionToken } = own;
    const forged = await new SignJWT({ jti: 'invented' }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32));
    expect(await refusalOf({ sessionToken: others.sessionToken, apiSessionToken })).toEqual(refusal.session);
    for (const sessionToken of ['', 'invented', 'a.b.c', 'x'.repeat(50_000), forged])
      expect(await refusalOf({ sessionToken, apiSessionToken })).toEqual(refusal.session);
    for (const token of ['', 'invented', 'x'.repeat(50_000)]) {
      expect(await refusalOf({ ...own, apiSessionToken: token })).toEqual(refusal.apiSession);
      expect(await refusalOf({ sessionToken: 'a.b.c', apiSessionToken: token })).toEqual(refusal.apiSession);
    }
    expect(await refusalOf(await presentedBy(bob, 'Bind'))).toEqual([4, 'incorrect session type']);
    expect(await bind(eve, { ...own, address: 't1' })).toMatchObject({
      result: 'OTHER',
      msg: 'incorrect session type',
    });
    expect(await bind(eve, { ...own, sessionToken: 'invented', address: 't1' })).toMatchObject({
      result: 'INVALID_SESSION',
    });
  });

  it('of others are as good afterwards as before', async () => {
    const [own, others] = [await presentedBy(ada, 'Dial'), await presentedBy(bob, 'Dial')];
    const mixed = { sessionToken: own.sessionToken, apiSessionToken: others.apiSessionToken };
    for (let tries = 0; tries < 3; tries += 1) expect(await refusalOf(mixed)).toEqual(refusal.session);
    const dialing = applications[1]!.dial(own.sessionToken);
    await applications[0]!.accept();
    (await dialing).close();
  });

  it('of the one session that has ended are refused', async () => {
    const own = await presentedBy(bob, 'Dial');
    const { jti = '' } = JSON.parse(Buffer.from(own.sessionToken.split('.')[1] ?? '', 'base64url').toString());
    await controller.admin.management.sessions.delete(jti);
    for (let tries = 0; tries < 2; tries += 1) expect(await refusalOf(own)).toEqual(refusal.session);
  });
});

describe('what is too long or too much', () => {
  it('refuses a circuit, and not its router', async () => {
    const own = await presentedBy(ada, 'Dial');
    const { headers } = dialMessage(own);
    const ask = async (key: number, value: Uint8Array) => {
      const reply = await eve.ask(controlTypes.createCircuit, { headers: [...headers, [key, value]] });
      return [
        reply.type,
        readHeader.u32(reply.headers.get(controlHeaders.errorCode)),
        Buffer.from(reply.body).toString(),
      ];
    };
    const refused = [controlTypes.error, 1, 'invalid peer data'];
    const { peerData, instanceId } = controlHeaders;
    expect(await ask(peerData, headerValue.bytesByNumber(new Map([[1_011, Buffer.alloc(8_193)]])))).toEqual(refused);
    const many = new Map(Array.from({ length: 129 }, (_, at) => [at, Buffer.alloc(1)]));
    expect(await ask(peerData, headerValue.bytesByNumber(many))).toEqual(refused);
    expect(await ask(peerData, Buffer.alloc(7, 0xff))).toEqual(refused);
    expect(await ask(instanceId, Buffer.alloc(7, 0xff))).toEqual(refused);
    expect(await dial(eve, { ...own, instanceId: 'x'.repeat(10_000) })).toMatchObject({ code: 1 });
  });

  it('refuses a terminator', async () => {
    const presented = await presentedBy(bob, 'Bind');
    const result = async (changes: Partial<Parameters<typeof bind>[1]>) =>
      (await bind(eve, { ...presented, address: 'terminator-1', ...changes })).result;
    expect(await result({ peerData: { 1: Buffer.alloc(10_001) } })).toBe('OTHER');
    expect(await result({ instanceId: 'x'.repeat(501) })).toBe('OTHER');
    expect(await result({ instanceId: 'a\0b' })).toBe('OTHER');
    expect(await result({ cost: 65_536 })).toBe('OTHER');
    expect(await result({ precedence: 7 })).toBe('OTHER');
    for (const address of ['', 'x'.repeat(101), 'a b', 'a\0', "a'b", 'ü'])
      expect(await result({ address }), address).toBe('OTHER');
    expect((await controller.admin.management.terminators.list()).data).toHaveLength(1);
  });

  it('refuses an id of its own that is used for something else', async () => {
    const { id: other } = await controller.createService({ encryptionRequired: false });
    const presented = await presentedBy(bob, 'Bind');
    const address = 'terminator-2';
    expect(await bind(eve, { ...presented, address, cost: 5 })).toMatchObject({ result: 'SUCCESS' });
    expect(await bind(eve, { ...presented, address, cost: 6 })).toMatchObject({ result: 'SUCCESS' });
    const ofOther = { ...presented, sessionToken: await bob.session(other, 'Bind') };
    expect(await bind(eve, { ...ofOther, address })).toMatchObject({ result: 'ID_CONFLICT' });
    const ofAda = await presentedBy(ada, 'Bind');
    expect(await bind(eve, { ...ofAda, address })).toMatchObject({ result: 'ID_CONFLICT' });
    const change = { ...presented, terminatorId: address };
    expect(await updateTerminator(eve, { ...change, updateCost: true, cost: 70_000 })).toMatchObject({ code: 10 });
    expect(await updateTerminator(eve, { ...change, updatePrecedence: true, precedence: 7 })).toMatchObject({
      code: 9,
    });
    expect(await updateTerminator(eve, { ...ofAda, terminatorId: address })).toMatchObject({ code: 8 });
    expect(await controller.admin.management.terminators.get(address)).toMatchObject({
      cost: 6,
      precedence: 'default',
    });
    await eve.ask(controlTypes.removeTerminators, {
      body: encode(RemoveTerminatorsRequestSchema, { terminatorIds: [address] }),
    });
  });
});
