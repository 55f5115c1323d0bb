import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { browserWindow } from '../../test/support/browser-window.ts';
import { fakeController } from '../../test/support/fake-controller.ts';
import { collectGarbage, pass } from '../../test/support/pass-time.ts';
import { sharedArea } from '../../test/support/shared-area.ts';
import { loadRest, loadSession } from '../chunks/load.ts';
import type { EdgeClient, EdgeClientOptions } from '../index.ts';
import { createEdgeClient, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };
const minute = 60_000;

beforeEach(async () => {
  // Loaded before the time stands still.
  await Promise.all([loadSession(), loadRest()]);
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function signedIn(options: EdgeClientOptions, controller = fakeController()) {
  const edge = createEdgeClient(controller.url, { fetch: controller.fetch, retries: 0, ...options });
  await edge.signIn.password(alice);
  await pass(1);
  return { edge, controller, extensions: () => controller.count('/current-api-session') };
}

test('extends the session when two thirds of its time have passed, and not before', async () => {
  const { edge, extensions } = await signedIn({ keepAlive: true });
  await pass(19 * minute);
  expect(extensions()).toBe(0);
  await pass(3 * minute);
  expect(extensions()).toBe(1);
  await pass(120 * minute);
  expect(extensions()).toBeGreaterThanOrEqual(6);
  expect(extensions()).toBeLessThanOrEqual(8);
  expect(edge.state).toBe('active');
  edge.dispose();
  await pass(60 * minute);
  expect(extensions()).toBeLessThanOrEqual(8);
});

test('a session near the end of its longest life is not extended any more, and the client says that it is expiring', async () => {
  const controller = fakeController();
  // Ten minutes are left after its timeout.
  controller.settings.detail = { expiresAt: '2001-01-01T00:30:00.000Z', endsAt: '2001-01-01T00:40:00.000Z' };
  const { edge, extensions } = await signedIn({ keepAlive: true }, controller);
  const expiring: number[] = [];
  edge.on('expiring', ({ expiresAt }) => expiring.push(Number(expiresAt) - Date.now()));
  await pass(19 * minute);
  expect(extensions()).toBe(0);
  // The controller tells less from now on.
  const left = { expirationSeconds: 1_200, expiresAt: '2001-01-01T00:40:00.000Z' };
  Object.assign(controller.settings.detail, left);
  await pass(3 * minute);
  const extended = extensions();
  await pass(15 * minute);
  expect([extended, extensions(), expiring]).toEqual([1, 1, []]);
  await pass(3 * minute);
  expect(expiring).toEqual([minute]);
  edge.dispose();
});

test('without keepAlive the client asks once at the end, and never when nobody uses it', async () => {
  const { edge, extensions } = await signedIn({});
  const expiring: number[] = [];
  edge.on('expiring', ({ expiresAt }) => expiring.push(Number(expiresAt) - Date.now()));
  await pass(180 * minute);
  expect([extensions(), edge.state, edge.session?.state]).toEqual([1, 'stale', 'full']);
  expect(expiring).toEqual([60_000, 60_000]);
  edge.dispose();
});

test('with reauthenticate the client asks nothing at the end: the next call does', async () => {
  const { edge, controller } = await signedIn({ reauthenticate: (): Promise<unknown> => edge.signIn.password(alice) });
  controller.live.clear();
  await pass(31 * minute);
  expect([controller.sent.length, edge.state]).toEqual([1, 'stale']);
  await edge.management.identities.list();
  expect([controller.signIns(), edge.state]).toEqual([2, 'active']);
  edge.dispose();
});

test('of several tabs one extends the session, and the others see it', async () => {
  const controller = fakeController();
  const area = sharedArea();
  const tabs = Array.from({ length: 5 }, () =>
    createEdgeClient(controller.url, { fetch: controller.fetch, storage: area.tab(), keepAlive: true }),
  );
  let seen = 0;
  for (const edge of tabs) edge.on('extended', () => (seen += 1));
  await tabs[0]?.signIn.password(alice);
  await pass(65 * minute);
  expect(controller.count('/current-api-session')).toBe(3);
  expect(seen).toBe(15);
  for (const edge of tabs) edge.dispose();
});

test('a hidden page sends nothing, and asks when it is shown; "always" goes on', async () => {
  const page = browserWindow();
  const { edge, extensions } = await signedIn({ keepAlive: true });
  const always = await signedIn({ keepAlive: 'always' });
  page.show('hidden');
  await pass(25 * minute);
  expect([extensions(), always.extensions()]).toEqual([0, 1]);
  page.show('visible');
  await pass(1_000);
  expect([extensions(), edge.state]).toEqual([1, 'active']);
  page.show('hidden');
  await pass(45 * minute);
  expect([extensions(), edge.state, always.edge.state]).toEqual([1, 'stale', 'active']);
  page.show('visible');
  await pass(1_000);
  expect(edge.state).toBe('active');
  for (const one of [edge, always.edge]) one.dispose();
});

test('without a network the session becomes stale, and the event "online" brings it back', async () => {
  const page = browserWindow();
  const { edge, controller } = await signedIn({ keepAlive: true });
  await pass(19 * minute);
  controller.settings.isDown = true;
  await pass(6 * minute);
  expect(edge.state).toBe('stale');
  page.connect(false);
  const sent = controller.sent.length;
  await pass(10 * minute);
  // One question at the local end.
  expect(controller.sent.length - sent).toBeLessThanOrEqual(1);
  controller.settings.isDown = false;
  page.connect(true);
  await pass(2_000);
  expect([edge.state, edge.session?.id]).toEqual(['active', 'id-of-token-1']);
  edge.dispose();
});

test('after a sleep of the machine one request is sent, after a short time', async () => {
  const { edge, controller, extensions } = await signedIn({ keepAlive: true });
  await pass(minute);
  // The clock moves on, the timers do not.
  vi.setSystemTime(Date.now() + 8 * 60 * minute);
  controller.live.clear();
  await vi.advanceTimersByTimeAsync(30_000);
  await pass(2_000);
  expect(edge.state).toBe('expired');
  expect(extensions()).toBeLessThanOrEqual(2);
  edge.dispose();
});

/** A controller that is busy when it is asked for the session, `count` times. `times`: when it was asked. */
function busyController(count: number) {
  const times: number[] = [];
  const error = { code: 'SERVICE_UNAVAILABLE', message: 'busy', requestId: 'r' };
  const busy = () => Response.json({ error, meta: {} }, { status: 503, headers: { 'retry-after': '90' } });
  const instead = (path: string) =>
    path.endsWith('/current-api-session') && times.push(Date.now()) <= count ? busy() : undefined;
  return { times, controller: fakeController({ instead }) };
}

test('a controller that is busy is asked again after its Retry-After', async () => {
  const { times, controller } = busyController(2);
  const { edge } = await signedIn({ keepAlive: true }, controller);
  await pass(29 * minute);
  expect(times).toHaveLength(3);
  for (const at of [1, 2]) {
    const wait = (times[at] ?? 0) - (times[at - 1] ?? 0);
    expect(wait).toBeGreaterThanOrEqual(90_000);
    expect(wait).toBeLessThan(150_000);
  }
  expect(edge.state).toBe('active');
  edge.dispose();
});

test('a page that is shown again and again waits for the Retry-After of a busy controller', async () => {
  const page = browserWindow();
  const { times, controller } = busyController(1);
  const { edge } = await signedIn({ keepAlive: true }, controller);
  while (times.length === 0) await pass(10_000);
  for (let at = 0; at < 40; at += 1) {
    page.show(at % 2 === 0 ? 'hidden' : 'visible');
    page.connect(true);
    await pass(2_000);
  }
  expect(times).toHaveLength(1);
  await pass(minute);
  expect([times.length, edge.state]).toEqual([2, 'active']);
  edge.dispose();
});

test('a clock that jumps leads to no loop', async () => {
  const { edge, controller } = await signedIn({ keepAlive: true });
  for (const jump of [-24 * 60 * minute, 48 * 60 * minute, -60 * minute]) {
    vi.setSystemTime(Date.now() + jump);
    await pass(2 * minute);
  }
  expect(controller.sent.length).toBeLessThan(8);
  expect(edge.session?.state).toBe('full');
  edge.dispose();
});

test('a client that the application has dropped sends nothing any more', async () => {
  const controller = fakeController();
  const storage = memoryStorage();
  async function use(): Promise<void> {
    const edge: EdgeClient = createEdgeClient(controller.url, {
      ...{ fetch: controller.fetch, storage, keepAlive: true },
      reauthenticate: () => edge.signIn.password(alice),
    });
    await edge.signIn.password(alice);
    await pass(1);
  }
  await use();
  await collectGarbage();
  await pass(60 * minute);
  expect(controller.sent).toHaveLength(1);
});
