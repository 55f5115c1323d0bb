import { expect, onTestFinished, test, vi } from 'vitest';
import { json, refuse, scriptedController, scriptedServer } from '../../test/support/scripted-server.ts';
import type { EdgeClient, EdgeEvents } from '../index.ts';
import { createEdgeClient, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };
const keyOf = ({ url }: { url: string }) => `edge-session ${url}`;

function record(edge: EdgeClient) {
  const seen: string[] = [];
  edge.on('stateChange', ({ previous, state }) => seen.push(`${previous} > ${state}`));
  for (const name of ['session', 'extended', 'expiring', 'expired', 'signedOut'] satisfies (keyof EdgeEvents)[])
    edge.on(name, () => seen.push(name));
  return seen;
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('no error'),
    (error: unknown) => error,
  );

test('the session object stays the same until something changes', async () => {
  // A slow run would move its end.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await using controller = await scriptedController((_seen, response) => json(response, 200, { data: [], meta: {} }));
  await using edge = createEdgeClient(controller.url);
  const seen = record(edge);
  const session = await edge.signIn.password(alice);
  await edge.management.identities.list();
  await edge.client.currentApiSession.get();
  expect(edge.session).toBe(session);
  controller.settings.detail = { authQueries: [{ provider: 'svc', typeId: 'MFA', scopes: null }] };
  await edge.client.currentApiSession.get();
  expect(edge.session).not.toBe(session);
  expect([edge.session, edge.session?.state]).toEqual([edge.session, 'partial']);
  expect(seen).toEqual(['signed-out > active', 'session', 'active > partial', 'session']);
});

test('a session ends at the end of its longest life, however much it is used', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await using controller = await scriptedController((_seen, response) => json(response, 200, { data: [], meta: {} }));
  const start = Date.now();
  // The controller has another clock.
  controller.settings.detail = { expiresAt: '2001-01-01T00:30:00.000Z', endsAt: '2001-01-01T00:40:00.000Z' };
  const storage = memoryStorage();
  await using edge = createEdgeClient(controller.url, { storage });
  await using other = createEdgeClient(controller.url, { storage });
  await edge.signIn.password(alice);
  vi.setSystemTime(start + 5 * 60_000);
  await edge.management.identities.list();
  expect(edge.session?.expiresAt).toEqual(new Date(start + 35 * 60_000));
  vi.setSystemTime(start + 20 * 60_000);
  await edge.management.identities.list();
  expect(edge.session?.expiresAt).toEqual(new Date(start + 40 * 60_000));
  await vi.waitFor(() => expect(other.session?.expiresAt).toEqual(edge.session?.expiresAt));
});

test('at its end the client asks the controller: a session that was extended elsewhere goes on', async () => {
  await using controller = await scriptedController();
  controller.settings.detail = { expirationSeconds: 0.2 };
  await using edge = createEdgeClient(controller.url);
  const seen = record(edge);
  await edge.signIn.password(alice);
  await edge.waitFor('stale');
  // Asked once, because nobody used the client after that. Then it does not ask again, and nothing is lost.
  expect(controller.seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  expect(edge.session).not.toBeNull();
  controller.live.clear();
  await failure(edge.client.currentApiSession.get());
  expect(seen).toEqual([
    ...['signed-out > active', 'session', 'expiring', 'active > stale', 'stale > expired', 'expired'],
  ]);
});

test('at its end the client asks the controller: an ended session expires', async () => {
  await using controller = await scriptedController();
  controller.settings.detail = { expirationSeconds: 0.2 };
  await using edge = createEdgeClient(controller.url);
  await edge.signIn.password(alice);
  controller.live.clear();
  expect(await edge.waitFor(['expired', 'stale'])).toBe('expired');
  expect(edge.session).toBeNull();
});

test('an idle client does not end the session of an active one with the same storage', async () => {
  await using controller = await scriptedController();
  controller.settings.detail = { expirationSeconds: 0.3 };
  const storage = memoryStorage();
  await using active = createEdgeClient(controller.url, { storage });
  await using idle = createEdgeClient(controller.url, { storage });
  await active.signIn.password(alice);
  await idle.restore();
  for (let at = 0; at < 8; at += 1) {
    await active.client.currentApiSession.get();
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(await storage.get(keyOf(controller))).toBe('token-1');
  expect([active.session?.id, idle.session?.id]).toEqual(['id-of-token-1', 'id-of-token-1']);
});

test('a sign-out removes only its own token from the storage', async () => {
  await using controller = await scriptedController();
  const values = new Map<string, string>();
  // Two storages over the same values that do not tell each other anything.
  const storage = () => ({
    get: (key: string) => values.get(key) ?? null,
    set: (key: string, value: string) => void values.set(key, value),
    remove: (key: string) => void values.delete(key),
  });
  await using first = createEdgeClient(controller.url, { storage: storage() });
  await using second = createEdgeClient(controller.url, { storage: storage() });
  await first.signIn.password(alice);
  await second.signIn.password(alice);
  await first.signOut();
  expect(values.get(keyOf(controller))).toBe('token-2');
});

test.each(['call', 'restore'])('a 401 of a proxy changes nothing (%s)', async (kind) => {
  await using proxy = await scriptedServer((_seen, response) =>
    response
      .writeHead(401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="proxy"' })
      .end('<h1>no</h1>'),
  );
  await using controller = await scriptedController();
  const storage = memoryStorage();
  let target = controller.url;
  const options = {
    storage,
    fetch: (input: string | URL | Request, init?: RequestInit) =>
      fetch(
        new Request(String((input as Request).url ?? input).replace(controller.url, target), input as Request),
        init,
      ),
  };
  await using edge = createEdgeClient(controller.url, options);
  await edge.signIn.password(alice);
  const seen = record(edge);
  target = proxy.url;
  await using other = createEdgeClient(controller.url, options);
  const error = await failure(kind === 'call' ? edge.management.identities.list() : other.restore());
  expect(error).toMatchObject({ name: 'EdgeInvalidResponseError', status: 401 });
  expect([edge.state, seen]).toEqual(['active', []]);
  expect(await storage.get(keyOf(controller))).toBe('token-1');
});

test('a lost connection makes the session stale, and the next response makes it active again', async () => {
  await using controller = await scriptedController((_seen, response) => json(response, 200, { data: [], meta: {} }));
  let isDown = false;
  await using edge = createEdgeClient(controller.url, {
    retries: 0,
    fetch: (input, init) => (isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init)),
  });
  await edge.signIn.password(alice);
  const seen = record(edge);
  isDown = true;
  await failure(edge.management.identities.list());
  expect([edge.state, edge.session?.state]).toEqual(['stale', 'full']);
  isDown = false;
  await edge.management.identities.list();
  expect(seen).toEqual(['active > stale', 'stale > active']);
});

test.each([
  [{ expirationSeconds: undefined, expiresAt: undefined, updatedAt: undefined }, null],
  [{ expirationSeconds: Number.NaN, expiresAt: 'soon' }, null],
  [{ expirationSeconds: -5, expiresAt: '2001-01-01T00:00:00Z', updatedAt: '2002-01-01T00:00:00Z' }, null],
  [{ expirationSeconds: 1e300 }, null],
  [{ expirationSeconds: null, expiresAt: '2001-01-01T00:10:00Z', updatedAt: '2001-01-01T00:00:00Z' }, 600],
  [{ expirationSeconds: 10 ** 8 }, 10 ** 8],
])('a session with the expiry %j has a valid one or none', async (detail, seconds) => {
  await using controller = await scriptedController();
  controller.settings.detail = detail;
  await using edge = createEdgeClient(controller.url);
  const seen = record(edge);
  const session = await edge.signIn.password(alice);
  expect(session.expirationSeconds).toBe(seconds);
  if (seconds === null) expect(session.expiresAt).toBeNull();
  else expect(Math.abs(Number(session.expiresAt) - Date.now() - seconds * 1000)).toBeLessThan(5000);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([edge.state, seen, controller.seen.length]).toEqual(['active', ['signed-out > active', 'session'], 1]);
});

test('a reauthenticate that does not settle is aborted, and all that waited get its error', async () => {
  await using controller = await scriptedController();
  const reasons: unknown[] = [];
  await using edge: EdgeClient = createEdgeClient(controller.url, {
    reauthenticateTimeout: 100,
    reauthenticate: ({ signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return new Promise(() => undefined);
    },
  });
  await edge.signIn.password(alice);
  controller.live.clear();
  const calls = Array.from({ length: 20 }, () => failure(edge.management.identities.list()));
  const errors = await Promise.all(calls);
  expect(new Set(errors).size).toBe(1);
  expect(errors[0]).toMatchObject({ name: 'EdgeTimeoutError', timeout: 100 });
  expect([reasons, edge.state]).toEqual([[errors[0]], 'expired']);
  // The next sign-in works.
  expect((await edge.signIn.password(alice)).state).toBe('full');
});

test('all of 100 calls get the error that reauthenticate threw', async () => {
  await using controller = await scriptedController();
  await using edge: EdgeClient = createEdgeClient(controller.url, {
    reauthenticate: () => Promise.reject(new Error('no password at hand')),
  });
  await edge.signIn.password(alice);
  controller.live.clear();
  const errors = await Promise.all(Array.from({ length: 100 }, () => failure(edge.management.identities.list())));
  expect(new Set(errors.map(String))).toEqual(new Set(['Error: no password at hand']));
});

test.each([
  ['a text', 'text', 2],
  ['no body', undefined, 2],
  ['a stream', 'stream', 1],
])('edge.fetch with %s is sent again after reauthenticate if its body can be', async (_name, kind, sent) => {
  await using controller = await scriptedController((seen, response) => response.end(`got ${seen.body}`));
  await using edge: EdgeClient = createEdgeClient(controller.url, {
    reauthenticate: () => edge.signIn.password(alice),
  });
  await edge.signIn.password(alice);
  controller.live.clear();
  const body = kind === 'stream' ? new Blob(['text']).stream() : kind;
  const init = { method: kind ? 'POST' : 'GET', ...(body && { body }), ...(kind === 'stream' && { duplex: 'half' }) };
  const response = await edge.fetch(`${controller.url}/app`, init as RequestInit);
  expect(controller.seen.filter(({ path }) => path === '/app')).toHaveLength(sent);
  expect(response.status).toBe(sent === 2 ? 200 : 401);
  expect([controller.signIns(), edge.state]).toEqual([2, 'active']);
});

test('authorization gives the header for the controller and the listed origins, also for a WebSocket', async () => {
  await using controller = await scriptedController();
  await using edge = createEdgeClient(controller.url, { origins: ['https://app.example.com'] });
  await expect(edge.authorization(controller.url)).rejects.toMatchObject({ code: 'NO_SESSION' });
  await edge.signIn.password(alice);
  expect(await edge.authorization(`${controller.url.replace('http', 'ws')}/live`)).toEqual({
    'svc-session': 'token-1',
  });
  expect(await edge.authorization('wss://app.example.com/live')).toEqual({ 'svc-session': 'token-1' });
  for (const url of ['ws://app.example.com', 'https://app.example.com.evil.org', 'https://evil.org/app.example.com'])
    await expect(edge.authorization(url), url).rejects.toThrow(/option "origins"/);
});

test('waitFor resolves at the state, and rejects at its timeout, its signal and dispose', async () => {
  await using controller = await scriptedController();
  const edge = createEdgeClient(controller.url);
  expect(await edge.waitFor('signed-out')).toBe('signed-out');
  const active = edge.waitFor(['partial', 'active']);
  await edge.signIn.password(alice);
  expect(await active).toBe('active');
  await expect(edge.waitFor('stale', { timeout: 5 })).rejects.toMatchObject({ name: 'EdgeTimeoutError' });
  await expect(edge.waitFor('stale', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  const waiting = edge.waitFor('stale');
  edge.dispose();
  await expect(waiting).rejects.toThrow(TypeError);
});

test('after dispose running calls finish, later ones reject, and the session goes on', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await using controller = await scriptedController(async (_seen, response) => {
    await released;
    json(response, 200, { data: [], meta: {} });
  });
  const edge = createEdgeClient(controller.url, { keepAlive: true });
  await edge.signIn.password(alice);
  const running = edge.management.identities.list();
  await expect.poll(() => controller.seen.length).toBe(2);
  edge.dispose();
  edge.dispose();
  release();
  expect((await running).data).toEqual([]);
  for (const call of [edge.management.identities.list(), edge.signOut(), edge.restore(), edge.signIn.password(alice)])
    await expect(call).rejects.toThrow('the client was disposed of');
  expect(controller.live.size).toBe(1);
});

test('an event listener with a signal is removed when the signal aborts', async () => {
  await using controller = await scriptedController();
  await using edge = createEdgeClient(controller.url);
  const seen: string[] = [];
  const aborter = new AbortController();
  edge.on('session', () => seen.push('first'), { signal: aborter.signal });
  edge.on('session', () => seen.push('never'), { signal: AbortSignal.abort() });
  await edge.signIn.password(alice);
  aborter.abort();
  await edge.signIn.password(alice);
  expect(seen).toEqual(['first']);
});

test('a 503 of the controller keeps the state, the 502 of a proxy makes it stale', async () => {
  const statuses = [503, 502];
  await using controller = await scriptedController((_seen, response) =>
    statuses.shift() === 503
      ? refuse(response, 503, 'SERVICE_UNAVAILABLE')
      : response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>bad gateway</h1>'),
  );
  await using edge = createEdgeClient(controller.url, { retries: 0 });
  await edge.signIn.password(alice);
  await failure(edge.management.identities.list());
  expect(edge.state).toBe('active');
  await failure(edge.management.identities.list());
  expect(edge.state).toBe('stale');
});
