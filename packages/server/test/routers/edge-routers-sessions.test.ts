import { X509Certificate } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiSession } from '@edge-controller/router-messages';
import {
  ApiSessionAddedSchema,
  ApiSessionRemovedSchema,
  ApiSessionUpdatedSchema,
  decode,
} from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, readHeader } from '@edge-controller/shared-types/channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { everyStorePair, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { eventually } from './edge-routers/eventually.ts';
import { enrolledRouter, RawRouter } from './edge-routers/raw-router.ts';
import { signIn } from './router-double/routed-network.ts';

/** Milliseconds in which a router knows what a response has confirmed. */
const soon = 100;

interface FullState {
  readonly id: string;
  /** The sizes of its parts, in their order. */
  readonly sizes: readonly number[];
  readonly sessions: readonly ApiSession[];
}

const syncOf = ({ headers }: Frame) => ({
  strategy: readHeader.text(headers.get(controlHeaders.syncStrategy)),
  state: readHeader.text(headers.get(controlHeaders.syncState)),
});

const isPart = ({ type, body }: Frame) =>
  type === controlTypes.apiSessionAdded && decode(ApiSessionAddedSchema, body).isFullState;

/** Takes the parts of a full state. */
async function takeFullState(router: RawRouter): Promise<FullState> {
  const parts: { readonly sessions: ApiSession[]; readonly id: string }[] = [];
  for (let isLast = false; !isLast; ) {
    const frame = await router.peer.take('a part of a full state', isPart);
    const { isFullState, apiSessions } = decode(ApiSessionAddedSchema, frame.body);
    const { strategy, state } = syncOf(frame);
    const part = JSON.parse(state ?? '');
    expect([strategy, isFullState, part.sequence]).toEqual(['instant', true, parts.length]);
    parts.push({ sessions: apiSessions, id: part.id });
    isLast = part.isLast;
  }
  const ids = [...new Set(parts.map(({ id }) => id))];
  expect(ids).toHaveLength(1);
  return {
    id: ids[0] ?? '',
    sizes: parts.map(({ sessions }) => sessions.length),
    sessions: parts.flatMap(({ sessions }) => sessions),
  };
}

type Identity = Awaited<ReturnType<TestController['createIdentity']>>;

/** Signs in, and asks for the routers of the identity. */
async function askingSession(identity: Identity) {
  const edge = await identity.signIn();
  await edge.client.currentIdentityEdgeRouters.list();
  return edge;
}

/** Lets everybody use all routers, and nothing else. */
async function allowAllRouters({ admin }: TestController): Promise<void> {
  const all = ['#all'];
  const policy = { name: 'all', semantic: 'AnyOf', identityRoles: all, edgeRouterRoles: all } as const;
  await admin.management.edgeRouterPolicies.create(policy);
}

const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();

describe.each(storePairs)('the API sessions of a router on $stores', ({ open }) => {
  let controller: TestController;
  let router: RawRouter;
  /** Somebody who has asked for routers before this one has connected. */
  let grace: Awaited<ReturnType<typeof askingSession>>;
  let first: FullState;
  beforeAll(async () => {
    controller = await startTestController(await open());
    await allowAllRouters(controller);
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  beforeEach(async () => {
    grace = await askingSession(await controller.createIdentity());
    router = await RawRouter.enroll(controller);
    router.sayClientHello(await router.peer.ofType(controlTypes.serverHello));
    first = await takeFullState(router);
  });
  afterEach(() => router.close());

  /** What it is told of one API session: the next message of this type that names it. */
  async function told(type: number, schema: typeof ApiSessionAddedSchema | typeof ApiSessionUpdatedSchema, id: string) {
    const isOf = ({ type: of, body }: Frame) =>
      of === type && decode(schema, body).apiSessions.some((one) => one.id === id);
    const frame = await router.peer.take(`a message of type ${type} about ${id}`, isOf);
    return { frame, session: decode(schema, frame.body).apiSessions.find((one) => one.id === id) };
  }
  const added = (id: string) => told(controlTypes.apiSessionAdded, ApiSessionAddedSchema, id);
  const updated = (id: string) => told(controlTypes.apiSessionUpdated, ApiSessionUpdatedSchema, id);
  const removed = async (token: string) => {
    const isOf = ({ type, body }: Frame) =>
      type === controlTypes.apiSessionRemoved && decode(ApiSessionRemovedSchema, body).tokens.includes(token);
    await router.peer.take('the end of an API session', isOf);
  };
  const tokenOf = async (edge: { authorization(url: string): Promise<Record<string, string>> }) =>
    (await edge.authorization(controller.url))['svc-session'] ?? '';

  it('are all there at first, in one part', async () => {
    const { id: own } = await grace.client.currentApiSession.get();
    expect(first.sizes).toHaveLength(1);
    const { token = '', identityId } = first.sessions.find(({ id }) => id === own) ?? {};
    expect(token).toBe(await tokenOf(grace));
    expect(identityId).toBe((await grace.client.currentIdentity.get()).id);
  });

  it('come, change and go', async () => {
    const ada = await controller.createIdentity();
    const edge = await askingSession(ada);
    const id = edge.session?.id ?? '';
    const token = await tokenOf(edge);
    const { frame, session } = await added(id);
    expect(session).toMatchObject({ id, token, identityId: ada.id, certFingerprints: [] });
    const { strategy, state } = syncOf(frame);
    expect([strategy, JSON.parse(state ?? '')]).toEqual([
      'instant',
      { id: expect.stringMatching(/^c\w{24}$/), isLast: true, sequence: 0 },
    ]);
    const { certificate, id: certificateId } = await edge.client.currentApiSessionCertificates.create({
      csr: writeCsr('x'),
    });
    const change = await updated(id);
    expect(change.session?.certFingerprints).toEqual([fingerprintOf(certificate)]);
    expect(syncOf(change.frame)).toEqual({ strategy: 'instant', state: '' });
    await edge.client.currentApiSessionCertificates.delete(certificateId);
    expect((await updated(id)).session?.certFingerprints).toEqual([]);
    await edge.signOut();
    await removed(token);
  });

  it('are sent without delay', async () => {
    const ada = await controller.createIdentity();
    const delays: Record<'added' | 'removed', number[]> = { added: [], removed: [] };
    const timed = async (kind: keyof typeof delays, told: Promise<unknown>) => {
      const answeredAt = performance.now();
      await told;
      delays[kind].push(performance.now() - answeredAt);
    };
    const isSoon = (times: readonly number[]) => Math.min(...times) < soon;
    // The machine may be busy with something else during many of them.
    while (!isSoon(delays.added) || !isSoon(delays.removed)) {
      const edge = await askingSession(ada);
      await timed('added', added(edge.session?.id ?? ''));
      const token = await tokenOf(edge);
      await edge.signOut();
      await timed('removed', removed(token));
    }
  });

  it('end on every way', async () => {
    const { identities, apiSessions } = controller.admin.management;
    const ways: readonly ((of: { id: string; sessionId: string }) => Promise<unknown>)[] = [
      ({ sessionId }) => apiSessions.delete(sessionId),
      ({ id }) => identities.disable(id, { durationMinutes: 0 }),
      ({ id }) => identities.delete(id),
    ];
    for (const way of ways) {
      const ada = await controller.createIdentity();
      const edge = await askingSession(ada);
      const token = await tokenOf(edge);
      await added(edge.session?.id ?? '');
      await way({ id: ada.id, sessionId: edge.session?.id ?? '' });
      await removed(token);
    }
  });

  it('have the certificate of their sign-in', async () => {
    const ada = await signIn(controller);
    const isOf = ({ type, body }: Frame) =>
      type === controlTypes.apiSessionAdded && Buffer.from(body).includes(ada.token);
    const { body } = await router.peer.take('the API session', isOf);
    const session = decode(ApiSessionAddedSchema, body).apiSessions.find(({ token }) => token === ada.token);
    expect(session?.certFingerprints).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);
  });

  it('are unknown to it while they are partial', async () => {
    const ada = await controller.createIdentity();
    const edge = await ada.signIn();
    const totp = await edge.mfa.enroll();
    await totp.verify(controller.totp(totp.secret));
    const partial = controller.client();
    let answerTotp: (code: string) => void = () => undefined;
    const code = new Promise<string>((resolve) => {
      answerTotp = resolve;
    });
    const signingIn = partial.signIn.password(ada, { onAuthQuery: async (_query, answer) => answer.totp(await code) });
    await eventually(() => expect(partial.session?.id).toBeTruthy());
    const id = partial.session?.id ?? '';
    // What the router is told of somebody else comes behind it.
    const other = await askingSession(await controller.createIdentity());
    await added(other.session?.id ?? '');
    expect(router.peer.unread.some(({ body }) => Buffer.from(body).includes(id))).toBe(false);
    answerTotp(controller.totp(totp.secret));
    await signingIn;
    await partial.client.currentIdentityEdgeRouters.list();
    expect((await added(id)).session).toMatchObject({ id, identityId: ada.id });
  });

  it('are sent again when it asks', async () => {
    router.send(controlTypes.requestClientResync);
    const again = await takeFullState(router);
    expect(again.id > first.id).toBe(true);
    expect(again.sessions.length).toBeGreaterThanOrEqual(first.sessions.length);
  });

  it('are none when there is none', async () => {
    const identity = await enrolledRouter(controller);
    await controller.revokeSessions();
    const other = await RawRouter.open(controller, identity);
    other.sayClientHello(await other.peer.ofType(controlTypes.serverHello));
    expect(await takeFullState(other)).toMatchObject({ sizes: [0], sessions: [] });
    other.close();
  });
});

describe('a full state of API sessions', () => {
  let controller: TestController;
  beforeAll(async () => {
    controller = await startTestController();
    await allowAllRouters(controller);
  });
  afterAll(() => controller[Symbol.asyncDispose]());

  it('comes in parts of 100, while others begin and end', async () => {
    const ada = await controller.createIdentity();
    const open = (count: number) => Promise.all(Array.from({ length: count }, () => askingSession(ada)));
    // Not all at once: on a busy machine the last ones would wait longer than the SDK does.
    const sessions: Awaited<ReturnType<typeof open>> = [];
    for (let round = 0; round < 10; round += 1) sessions.push(...(await open(25)));
    const double = await controller.startRouter();
    const router = await RawRouter.enroll(controller);
    const hello = await router.peer.ofType(controlTypes.serverHello);
    const [ended, ...others] = sessions;
    const read = async () => {
      router.sayClientHello(hello);
      return takeFullState(router);
    };
    const [full] = await Promise.all([read(), ended?.signOut(), open(5)]);
    expect([full.sizes.length, ...full.sizes.slice(0, 2)]).toEqual([3, 100, 100]);
    const known = new Set(full.sessions.map(({ id }) => id));
    expect(others.filter(({ session }) => !known.has(session?.id ?? ''))).toEqual([]);
    // Whatever the order was in which it was told: it has those that live.
    const { meta } = await controller.admin.management.apiSessions.list({
      filter: `identity = "${ada.id}"`,
      limit: 1,
    });
    await eventually(() => expect(double.state.apiSessions).toBe(meta.pagination?.totalCount));
    await double.stop();
    router.close();
  });

  it('comes once a second, however often a router asks', async () => {
    const router = await RawRouter.enroll(controller);
    router.sayClientHello(await router.peer.ofType(controlTypes.serverHello));
    await takeFullState(router);
    const startedAt = performance.now();
    for (let asked = 0; asked < 100; asked += 1) router.send(controlTypes.requestClientResync);
    await takeFullState(router);
    expect(performance.now() - startedAt).toBeGreaterThan(800);
    await router.settled();
    const seconds = (performance.now() - startedAt) / 1_000;
    const others = router.peer.unread.filter((frame) => isPart(frame) && JSON.parse(syncOf(frame).state ?? '').isLast);
    expect(others.length).toBeLessThanOrEqual(seconds);
    router.close();
  });

  it('is followed by those that became full in its last moment, which it would make a router forget', async () => {
    const router = await RawRouter.enroll(controller);
    router.sayClientHello(await router.peer.ofType(controlTypes.serverHello));
    await takeFullState(router);
    const ada = await controller.createIdentity();
    const { session } = await askingSession(ada);
    const isOf = ({ type, body }: Frame) =>
      type === controlTypes.apiSessionUpdated && Buffer.from(body).includes(session?.id ?? '');
    await router.peer.take('the session again', isOf);
    router.close();
  });
});

/** Milliseconds. */
const [timeout, beat] = [1_000, 250];

/** Waits for some beats. False: this process was not served meanwhile, so the heartbeats of the router came too late, too. */
async function beats(count: number): Promise<boolean> {
  for (let passed = 0; passed < count; passed += 1) {
    const startedAt = performance.now();
    await delay(beat);
    if (performance.now() - startedAt > timeout - 2 * beat) return false;
  }
  return true;
}

it.concurrent.each(everyStorePair)(
  'an API session that only a router uses lives for three timeouts, and ends one after the connection, on $stores',
  async ({ open }) => {
    await using controller = await startTestController({ ...(await open()), sessionTimeout: timeout });
    const router = await controller.startRouter({ heartbeatInterval: beat });
    const { apiSessions } = controller.admin.management;
    const isLive = async ({ identityId }: { identityId: string }) =>
      (await apiSessions.list({ filter: `identity = "${identityId}"` })).data.length === 1;
    const observer = await RawRouter.enroll(controller);
    observer.sayClientHello(await observer.peer.ofType(controlTypes.serverHello));
    /** An API session that was used for three timeouts, and after half of one more. `null`: the machine was too busy to tell. */
    const used = async () => {
      const ada = await signIn(controller);
      const application = await ada.connect(router);
      const states: boolean[] = [];
      let isSent = true;
      for (let at = 0; at < 13 && isSent; at += 1) {
        isSent = await beats(1);
        states.push(await isLive(ada));
      }
      application.close();
      isSent &&= await beats(2);
      states.push(await isLive(ada));
      return isSent ? { ada, states } : null;
    };
    let seen = await used();
    while (!seen) seen = await used();
    const { ada, states } = seen;
    expect(states).toEqual(Array(14).fill(true));
    await eventually(async () => expect(await isLive(ada)).toBe(false));
    // Routers are told of it, too, by the next sweep.
    const isEnd = ({ type, body }: Frame) =>
      type === controlTypes.apiSessionRemoved && Buffer.from(body).includes(ada.token);
    await observer.peer.take('the end of the API session', isEnd);
    observer.close();
  },
);
