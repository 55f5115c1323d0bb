import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeController } from '../../test/support/fake-controller.ts';
import { sharedArea } from '../../test/support/shared-area.ts';
import type { EdgeClient, EdgeClientOptions, EdgeEvents, TokenStorage } from '../index.ts';
import { createEdgeClient, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };
const query = { provider: 'svc', typeId: 'MFA', scopes: null };

function record(edge: EdgeClient) {
  const seen: string[] = [];
  for (const name of ['session', 'extended', 'expired', 'signedOut'] satisfies (keyof EdgeEvents)[])
    edge.on(name, ({ id, state }) => seen.push(`${name} ${id.slice(6)} ${state}`));
  return seen;
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('no error'),
    (error: unknown) => error,
  );

function tabs(count: number, options: EdgeClientOptions = {}) {
  const controller = fakeController();
  const area = sharedArea();
  const open = (more: EdgeClientOptions = {}) =>
    createEdgeClient(controller.url, { fetch: controller.fetch, storage: area.tab(), ...options, ...more });
  return { controller, area, open, all: Array.from({ length: count }, () => open()) };
}

test('a sign-in, new queries and a sign-out in one tab reach the others without a request', async () => {
  const { controller, all } = tabs(3);
  const [first, second, third] = all as [EdgeClient, EdgeClient, EdgeClient];
  const seen = all.map(record);
  controller.settings.detail = { authQueries: [query] };
  await first.signIn.password(alice);
  await Promise.all([second.waitFor('partial'), third.waitFor('partial')]);
  expect(second.session).toEqual({ ...first.session, expiresAt: second.session?.expiresAt });
  controller.settings.detail = {};
  await second.client.currentApiSession.get();
  await Promise.all([first.waitFor('active'), third.waitFor('active')]);
  await third.signOut();
  await Promise.all([first.waitFor('signed-out'), second.waitFor('signed-out')]);
  for (const events of seen)
    expect(events).toEqual(['session token-1 partial', 'session token-1 full', 'signedOut token-1 full']);
  expect(controller.sent.map(({ method }) => method)).toEqual(['POST', 'GET', 'DELETE']);
});

test('an extension in one tab reaches the others', async () => {
  const { all } = tabs(2);
  const [first, second] = all as [EdgeClient, EdgeClient];
  await first.signIn.password(alice);
  await second.waitFor('active');
  const seen = record(second);
  vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] });
  await first.client.currentApiSession.get();
  await expect.poll(() => seen).toEqual(['extended token-1 full']);
  vi.useRealTimers();
  expect(Number(second.session?.expiresAt)).toBe(Number(first.session?.expiresAt));
});

test('when somebody else signs in, the other tabs follow, and their running calls are not repeated', async () => {
  const { controller, all } = tabs(2);
  const [first, second] = all as [EdgeClient, EdgeClient];
  await first.signIn.password(alice);
  await second.waitFor('active');
  controller.settings.detail = { identityId: 'identity-2', identity: { name: 'bob' } };
  controller.live.clear();
  const late = failure(second.management.identities.create({ name: 'x', type: 'User', isAdmin: false }));
  await first.signIn.password(alice);
  expect(await late).toMatchObject({ status: 401 });
  await expect.poll(() => second.session?.identity.name).toBe('bob');
  expect(controller.count('/identities')).toBe(1);
});

test('two tabs that sign in at once end with one session, the one in the storage', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { area, all, controller } = tabs(4);
    await Promise.all(all.map((edge) => edge.signIn.password(alice)));
    const stored = area.values.get(`edge-session ${controller.url}`);
    await expect.poll(() => new Set(all.map(({ session }) => session?.id))).toEqual(new Set([`id-of-${stored}`]));
  }
});

test('a sign-out reaches a tab that extends the session at the same time, and nothing brings the session back', async () => {
  const { all, area } = tabs(2);
  const [first, second] = all as [EdgeClient, EdgeClient];
  await first.signIn.password(alice);
  await second.waitFor('active');
  await Promise.all([first.signOut(), second.client.currentApiSession.get().catch(() => undefined)]);
  await second.waitFor('signed-out');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect([first.state, second.state, [...area.values]]).toEqual(['signed-out', 'signed-out', []]);
});

test('a tab that sees the change of the storage long after the message takes over the session, too', async () => {
  const controller = fakeController();
  const area = sharedArea();
  let seen: ReadonlyMap<string, string> = new Map();
  const late = { ...area.tab(), get: async (key: string) => seen.get(key) ?? null };
  const open = (storage: TokenStorage) => createEdgeClient(controller.url, { fetch: controller.fetch, storage });
  await using first = open(area.tab());
  await using second = open(late);
  expect(await second.restore()).toBeNull();
  await first.signIn.password(alice);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect([second.state, area.messages.length]).toEqual(['signed-out', 1]);
  seen = area.values;
  await second.waitFor('active', { timeout: 5_000 });
  expect(second.session?.id).toBe(first.session?.id);
});

test('no listener runs while its client holds the lock of the storage', async () => {
  const controller = fakeController();
  const area = sharedArea();
  const seen: string[] = [];
  function open(): EdgeClient {
    const shared = area.tab();
    let isLocked = false;
    const exclusive: TokenStorage['exclusive'] = async (key, section) =>
      shared.exclusive?.(key, async () => {
        isLocked = true;
        return section().finally(() => (isLocked = false));
      }) ?? section();
    const storage = { ...shared, exclusive };
    const reauthenticate = () => {
      seen.push(isLocked ? 'locked' : 'asked');
      return edge.signIn.password(alice);
    };
    const edge: EdgeClient = createEdgeClient(controller.url, { fetch: controller.fetch, storage, reauthenticate });
    for (const event of ['stateChange', 'session', 'signedOut', 'expired'] as const) {
      edge.on(event, () => seen.push(isLocked ? 'locked' : event));
    }
    return edge;
  }
  await using first = open();
  await first.signIn.password(alice);
  await using second = open();
  await second.restore();
  controller.live.clear();
  await second.management.identities.list();
  await first.signOut();
  await second.waitFor('signed-out');
  expect(new Set(seen)).toEqual(new Set(['stateChange', 'session', 'asked', 'signedOut']));
});

test.each([-3_600_000, 3_600_000])('a use reaches the other tabs when the clock was set by %i ms', async (jump) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { all } = tabs(2);
  const [first, second] = all as [EdgeClient, EdgeClient];
  await first.signIn.password(alice);
  await second.waitFor('active');
  const before = Number(first.session?.expiresAt);
  vi.setSystemTime(Date.now() + jump);
  await first.management.identities.list();
  const ends = () => [first, second].map(({ session }) => Number(session?.expiresAt) - before);
  await expect.poll(ends).toEqual([jump, jump]);
});

test('messages that are malformed or of an ended session change nothing', async () => {
  const { controller, area, all } = tabs(2);
  const [first, second] = all as [EdgeClient, EdgeClient];
  await first.signIn.password(alice);
  await second.waitFor('active');
  const key = `edge-session ${controller.url}`;
  const good = area.messages.at(-1) as { detail: object };
  const { session } = second;
  for (const bad of [
    ...[null, 1, 'ended', [], {}, { kind: 'shown' }, { kind: 'ended' }, { kind: 'ended', token: 'token-1', by: 'me' }],
    ...[
      { ...good, detail: null },
      { ...good, detail: {} },
      { ...good, shownAt: '1' },
      { ...good, expiresAt: 1e300 },
    ],
    { ...good, detail: { ...good.detail, token: 5 } },
    { ...good, detail: { ...good.detail, authQueries: 'none' } },
    { kind: 'ended', token: 'token-2', by: 'signedOut' },
  ])
    area.post(key, bad);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(second.session).toBe(session);
  await second.signOut();
  area.post(key, good);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([first.session, second.session]).toEqual([null, null]);
});

test('8 clients with one storage sign in again once, and clients without reauthenticate take over the session', async () => {
  const controller = fakeController();
  const storage = memoryStorage();
  let asked = 0;
  const clients: EdgeClient[] = Array.from({ length: 8 }, (_one, at) => {
    const reauthenticate = () => {
      asked += 1;
      return (clients[at] as EdgeClient).signIn.password(alice);
    };
    return createEdgeClient(controller.url, {
      ...{ fetch: controller.fetch, storage },
      ...(at > 0 && { reauthenticate }),
    });
  });
  await clients[0]!.signIn.password(alice);
  controller.live.clear();
  const calls = clients
    .slice(1)
    .flatMap((edge) => [edge.management.identities.list(), edge.client.currentApiSession.get()]);
  await expect.poll(() => asked).toBe(1);
  const results = await Promise.all([...calls, clients[0]!.management.identities.list()]);
  expect([asked, controller.signIns(), results.length]).toEqual([1, 2, 15]);
});

test('when the sign-in of one tab fails, the others reject with the 401, and nobody tries again', async () => {
  let asked = 0;
  const { controller, all, open } = tabs(0);
  for (let at = 0; at < 4; at += 1)
    all.push(
      open({
        reauthenticate: async () => {
          asked += 1;
          throw new Error('wrong password');
        },
      }),
    );
  await all[0]!.signIn.password(alice);
  await Promise.all(all.map((edge) => edge.waitFor('active')));
  controller.live.clear();
  const errors = await Promise.all(
    all.flatMap((edge) => [1, 2, 3].map(() => failure(edge.management.identities.list()).then(String))),
  );
  expect(asked).toBe(1);
  expect(errors.filter((text) => text === 'Error: wrong password')).toHaveLength(3);
  expect(errors.filter((text) => text.includes('UNAUTHORIZED'))).toHaveLength(9);
  expect(all.map(({ state }) => state)).toEqual(['expired', 'expired', 'expired', 'expired']);
  await Promise.all(all.map((edge) => failure(edge.management.identities.list())));
  expect(asked).toBe(1);
});

test.each(['disposed of', 'closed'])('when the tab that signs in is %s, another one takes its place', async (kind) => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { controller, area, open } = tabs(0);
  let isAsked = false;
  const leader = open({ reauthenticate: () => new Promise(() => (isAsked = true)) });
  const second: EdgeClient = open({ reauthenticate: () => second.signIn.password(alice) });
  await leader.signIn.password(alice);
  await second.waitFor('active');
  controller.live.clear();
  if (kind === 'closed') {
    // What a closed tab leaves behind.
    const note = { owner: 'a closed tab', until: Date.now() + 10_000 };
    area.values.set(`edge-session ${controller.url} sign-in`, JSON.stringify(note));
  } else {
    const lost = failure(leader.management.identities.list());
    await vi.waitFor(() => expect(isAsked).toBe(true));
    leader.dispose();
    expect(await lost).toBeInstanceOf(TypeError);
  }
  const start = Date.now();
  let isServed = false;
  const served = second.management.identities.list().finally(() => (isServed = true));
  while (!isServed) await vi.advanceTimersByTimeAsync(100);
  expect((await served).data).toEqual([]);
  expect(Date.now() - start).toBeLessThan(kind === 'closed' ? 11_000 : 1_000);
  expect(controller.signIns()).toBe(2);
});

test('a storage that rejects disturbs neither calls nor a new sign-in', async () => {
  const controller = fakeController();
  const fail = async () => {
    throw new Error('storage is full');
  };
  let isBroken = false;
  const memory = memoryStorage();
  const storage = {
    get: (key: string) => (isBroken ? fail() : memory.get(key)),
    set: (key: string, value: string) => (isBroken ? fail() : memory.set(key, value)),
    remove: (key: string) => (isBroken ? fail() : memory.remove(key)),
  };
  let asked = 0;
  const edge: EdgeClient = createEdgeClient(controller.url, {
    ...{ fetch: controller.fetch, storage },
    reauthenticate: () => {
      asked += 1;
      return edge.signIn.password(alice).catch(() => undefined);
    },
  });
  await edge.signIn.password(alice);
  isBroken = true;
  controller.live.clear();
  const results = await Promise.all([1, 2, 3].map(() => edge.management.identities.list()));
  expect([results.length, asked, edge.state]).toEqual([3, 1, 'active']);
  expect(await edge.signOut()).toMatchObject({ confirmed: true, error: { message: 'storage is full' } });
  expect(edge.state).toBe('signed-out');
});
