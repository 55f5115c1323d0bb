import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeController } from '../../test/support/fake-controller.ts';
import { sessionDetail } from '../../test/support/scripted-server.ts';
import { sharedArea } from '../../test/support/shared-area.ts';
import type { EdgeClient, TokenStorage } from '../index.ts';
import { createEdgeClient, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };
const keyOf = ({ url }: { url: string }) => `edge-session ${url}`;

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('no error'),
    (error: unknown) => error,
  );

async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await turn();
}

test('sign-ins and sign-outs of three tabs at once end with the session in the storage, in any order of events', async () => {
  const steps = fc.array(fc.record({ tab: fc.nat(2), isSignIn: fc.boolean() }), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, async (scheduler, all) => {
      const controller = fakeController({ delay: () => scheduler.schedule(Promise.resolve(), 'response') });
      const area = sharedArea({ delay: () => scheduler.schedule(Promise.resolve(), 'storage') });
      const tabs = [0, 1, 2].map(() =>
        createEdgeClient(controller.url, { fetch: controller.fetch, storage: area.tab() }),
      );
      const running = all.map(async ({ tab, isSignIn }) => {
        const edge = tabs[tab] as EdgeClient;
        // A sign-out at the same time ends a sign-in.
        await (isSignIn ? edge.signIn.password(alice).catch(() => undefined) : edge.signOut());
      });
      await scheduler.waitFor(Promise.all(running));
      for (let idle = 0; idle < 10; idle += 1) {
        await turn();
        await scheduler.waitAll();
      }
      const stored = area.values.get(keyOf(controller));
      const ids = new Set(tabs.map(({ session }) => session?.id));
      for (const edge of tabs) edge.dispose();
      expect([...ids]).toEqual([stored && `id-of-${stored}`]);
    }),
    { numRuns: 100 },
  );
});

test('a late message does not sign in a tab that was opened after the sign-out', async () => {
  const controller = fakeController();
  const area = sharedArea();
  const open = () => createEdgeClient(controller.url, { fetch: controller.fetch, storage: area.tab() });
  const first = open();
  await first.signIn.password(alice);
  await expect.poll(() => area.messages).toHaveLength(1);
  await first.signOut();
  await using second = open();
  await turns(50);
  area.post(keyOf(controller), area.messages[0]);
  await turns(20);
  expect([first.state, second.state, second.session]).toEqual(['signed-out', 'signed-out', null]);
  first.dispose();
});

test('a sign-out during a sign-in: nobody is signed in, and the controller keeps no session', async () => {
  const controller = fakeController({ delay: () => turns(5) });
  await using edge = createEdgeClient(controller.url, { fetch: controller.fetch });
  const lost = failure(edge.signIn.password(alice));
  while (controller.sent.length === 0) await turn();
  expect(await edge.signOut()).toEqual({ confirmed: true });
  expect(await lost).toMatchObject({ name: 'EdgeAuthQueryError', code: 'NO_SESSION' });
  await expect.poll(() => controller.live.size).toBe(0);
  expect([controller.signIns(), edge.state]).toEqual([1, 'signed-out']);
  expect((await edge.signIn.password(alice)).state).toBe('full');
});

test.each([
  ['as the first call of a client', async () => undefined],
  ['of a client that made calls before', async (edge: EdgeClient) => void (await edge.restore())],
])(
  'a sign-out right after the start of a sign-in, %s: nobody is signed in, and nothing is sent',
  async (_name, before) => {
    const controller = fakeController();
    await using edge = createEdgeClient(controller.url, { fetch: controller.fetch, storage: memoryStorage() });
    await before(edge);
    const lost = failure(edge.signIn.password(alice));
    expect(await edge.signOut()).toEqual({ confirmed: true });
    expect(await lost).toMatchObject({ name: 'EdgeAuthQueryError', code: 'NO_SESSION' });
    expect([edge.state, controller.sent]).toEqual(['signed-out', []]);
  },
);

test('a sign-out while a sign-in waits for its JWT: nobody is signed in', async () => {
  const controller = fakeController();
  await using edge = createEdgeClient(controller.url, { fetch: controller.fetch });
  let give: (jwt: string) => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    const getToken = () => {
      resolve();
      return new Promise<string>((answer) => {
        give = answer;
      });
    };
    void failure(edge.signIn.extJwt({ getToken })).then((error) => {
      lost = error;
    });
  });
  let lost: unknown;
  await asked;
  await edge.signOut();
  give('e30.e30.e30');
  await expect.poll(() => lost).toMatchObject({ code: 'NO_SESSION' });
  expect([edge.state, controller.sent]).toEqual(['signed-out', []]);
});

test.each([
  ['with a storage in memory', memoryStorage()],
  ['with a slow storage', { ...memoryStorage(), set: () => turns(20) }],
])('a sign-out in a listener of the sign-in, %s: the sign-in rejects', async (_name, storage) => {
  const controller = fakeController();
  await using edge = createEdgeClient(controller.url, { fetch: controller.fetch, storage });
  const left = new Promise<unknown>((resolve) => {
    edge.on('stateChange', async ({ state }) => {
      if (state === 'active') resolve(await edge.signOut());
    });
  });
  expect(await failure(edge.signIn.password(alice))).toMatchObject({ code: 'NO_SESSION' });
  expect(await left).toEqual({ confirmed: true });
  expect([edge.state, controller.live.size]).toEqual(['signed-out', 0]);
});

test('a sign-in right after the start of a sign-out continues', async () => {
  const controller = fakeController();
  await using edge = createEdgeClient(controller.url, { fetch: controller.fetch });
  const [{ confirmed }, { state }] = await Promise.all([edge.signOut(), edge.signIn.password(alice)]);
  expect([confirmed, state, edge.state, controller.live.size]).toEqual([true, 'full', 'active', 1]);
});

test.each(['this tab', 'another tab'])('a sign-out in %s ends the re-authentication that runs', async (where) => {
  const controller = fakeController();
  const area = sharedArea();
  const open = (more: object = {}) =>
    createEdgeClient(controller.url, { fetch: controller.fetch, storage: area.tab(), ...more });
  let isAsked = false;
  const edge: EdgeClient = open({
    async reauthenticate({ signal }: { signal: AbortSignal }) {
      isAsked = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return edge.signIn.password(alice, { signal });
    },
  });
  await using other = open();
  await edge.signIn.password(alice);
  await other.waitFor('active');
  controller.live.clear();
  const lost = failure(edge.management.identities.list());
  await expect.poll(() => isAsked).toBe(true);
  await (where === 'this tab' ? edge : other).signOut();
  expect(await lost).toMatchObject({ code: 'NO_SESSION' });
  await turns(20);
  expect([edge.state, other.state, controller.signIns(), [...area.values]]).toEqual([
    ...['signed-out', 'signed-out', 1],
    [],
  ]);
  edge.dispose();
});

test('a sign-out during a restore: nobody is signed in, whatever is faster', async () => {
  const controller = fakeController({ delay: () => turns(6) });
  for (let wait = 0; wait < 25; wait += 1) {
    const values = memoryStorage();
    const storage: TokenStorage = { ...values, get: async (key) => turns(5).then(() => values.get(key)) };
    await values.set(keyOf(controller), 'token-1');
    controller.live.add('token-1');
    const edge = createEdgeClient(controller.url, { fetch: controller.fetch, storage });
    const restored = edge.restore();
    await turns(wait);
    await edge.signOut();
    await restored;
    await turns(10);
    expect([wait, edge.state, await values.get(keyOf(controller))]).toEqual([wait, 'signed-out', null]);
    edge.dispose();
  }
});

test.each([
  ['of this client', (edge: EdgeClient) => edge.signIn.password(alice)],
  ['of the storage', async () => undefined],
])(
  'a sign-out between a 401 of a session %s and the re-authentication: nobody signs in again, whatever is faster',
  async (_name, before) => {
    const controller = fakeController();
    for (let wait = 0; wait < 60; wait += 1) {
      const values = memoryStorage();
      const storage: TokenStorage = { ...values, get: async (key) => turns(5).then(() => values.get(key)) };
      let isOut = false;
      const late: string[] = [];
      const edge: EdgeClient = createEdgeClient(controller.url, {
        ...{ fetch: controller.fetch, storage },
        async reauthenticate({ signal }) {
          if (isOut) late.push(edge.state);
          await edge.signIn.password(alice, { signal });
        },
      });
      await values.set(keyOf(controller), 'an ended token');
      await before(edge);
      controller.live.clear();
      const done = edge.management.identities.list().catch(() => undefined);
      await turns(wait);
      isOut = true;
      await edge.signOut();
      await done;
      await turns(10);
      expect([wait, edge.state, late, await values.get(keyOf(controller))]).toEqual([wait, 'signed-out', [], null]);
      edge.dispose();
    }
  },
);

test('the 401 of another product changes nothing, although it has an envelope with a code', async () => {
  const controller = fakeController();
  let isGateway = false;
  await using edge = createEdgeClient(controller.url, {
    fetch: async (input, init) =>
      isGateway
        ? Response.json({ error: { code: 'InvalidAuthenticationToken', message: 'no' } }, { status: 401 })
        : controller.fetch(input, init),
  });
  await edge.signIn.password(alice);
  isGateway = true;
  expect(await failure(edge.management.identities.list())).toMatchObject({ status: 401 });
  expect(edge.state).toBe('active');
});

test('a storage that never answers delays a sign-in and a sign-out for a limited time', async () => {
  const controller = fakeController();
  const never = () => new Promise<never>(() => undefined);
  await using edge = createEdgeClient(controller.url, {
    ...{ fetch: controller.fetch, timeout: 100 },
    storage: { get: never, set: never, remove: never },
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = failure(edge.signIn.password(alice));
  const left = edge.waitFor('active').then(() => edge.signOut());
  for (let seconds = 0; seconds < 11; seconds += 1) await vi.advanceTimersByTimeAsync(1_000);
  expect(await failed).toMatchObject({ name: 'EdgeTimeoutError' });
  const { confirmed, error } = await left;
  expect([confirmed, error?.name, edge.state]).toEqual([true, 'EdgeTimeoutError', 'signed-out']);
});

test('a channel that fails disturbs neither a sign-in nor a sign-out', async () => {
  const controller = fakeController();
  const values = memoryStorage();
  const post = () => {
    throw new Error('full');
  };
  await using edge = createEdgeClient(controller.url, {
    fetch: controller.fetch,
    storage: { ...values, share: () => ({ post, close: () => undefined }) },
  });
  await edge.signIn.password(alice);
  expect(await edge.signOut()).toEqual({ confirmed: true });
  expect(await values.get(keyOf(controller))).toBeNull();
});

test('edge.fetch that is aborted during a 401 leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const controller = fakeController();
  const aborter = new AbortController();
  await using edge = createEdgeClient(controller.url, {
    async fetch(input, init) {
      const response = await controller.fetch(input, init);
      if (String(input).endsWith('/app')) aborter.abort(new Error('enough'));
      return response;
    },
    reauthenticate: () => Promise.reject(new Error('no password at hand')),
  });
  await edge.signIn.password(alice);
  controller.live.clear();
  const { signal } = aborter;
  expect(await failure(edge.fetch(`${controller.url}/app`, { signal }))).toMatchObject({ message: 'enough' });
  await edge.waitFor('expired');
  await turns(20);
  expect(unhandled).toEqual([]);
});

test.each([
  ['is about to end', 5_000, 'active'],
  ['has passed', -5_000, 'stale'],
])('a tab that takes over a session whose time %s has the right state at each event', async (_name, left, state) => {
  const controller = fakeController();
  const area = sharedArea();
  await using edge = createEdgeClient(controller.url, { fetch: controller.fetch, storage: area.tab() });
  const seen: unknown[] = [];
  edge.on('expiring', () => seen.push(edge.state));
  area.values.set(keyOf(controller), 'token-1');
  const detail = sessionDetail('token-1');
  const message = { kind: 'shown', detail, shownAt: Date.now(), expiresAt: Date.now() + left };
  // Until the tab listens.
  while (edge.session === null) {
    area.post(keyOf(controller), message);
    await turns(20);
  }
  await expect.poll(() => [edge.state, seen]).toEqual([state, left > 0 ? ['active'] : []]);
});

test('a session that a sign-in replaces is ended on the controller, unless it is known to have ended', async () => {
  const controller = fakeController();
  const { url, fetch } = controller;
  const deleted = () => controller.sent.filter(({ method }) => method === 'DELETE').map(({ token }) => token);
  await using edge: EdgeClient = createEdgeClient(url, { fetch, reauthenticate: () => edge.signIn.password(alice) });
  await edge.signIn.password(alice);
  await edge.signIn.password(alice);
  await expect.poll(deleted).toEqual(['token-1']);
  controller.live.clear();
  await edge.management.identities.list();
  expect(controller.signIns()).toBe(3);
  await turns(20);
  expect(deleted()).toEqual(['token-1']);
});

test('a sign-in whose response has no token begins no session', async () => {
  const controller = fakeController({
    instead: () => Response.json({ data: { ...sessionDetail('token-1'), token: undefined }, meta: {} }),
  });
  await using edge = createEdgeClient(controller.url, { fetch: controller.fetch });
  expect(await failure(edge.signIn.password(alice))).toMatchObject({ name: 'EdgeInvalidResponseError', status: 200 });
  expect([edge.state, edge.session]).toEqual(['signed-out', null]);
});
