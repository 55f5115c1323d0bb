import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { browserWindow } from '../../test/support/browser-window.ts';
import { pass } from '../../test/support/pass-time.ts';
import { alice, iterate, loadIterations, poll, signedIn } from '../../test/support/service-iterations.ts';
import { refusal, servicesController, usual } from '../../test/support/services-controller.ts';
import { createEdgeClient, memoryStorage } from '../index.ts';

const minute = 60_000;
const [wiki, mail] = [{ id: 'wiki' }, { id: 'mail' }];

beforeEach(async () => {
  await loadIterations();
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the session', () => {
  test('with keepAlive a poll extends it, and the client asks nothing else', async () => {
    const { edge, controller } = await signedIn({ keepAlive: true });
    iterate(edge);
    await pass(90 * minute);
    expect(new Set(controller.seen)).toEqual(new Set([poll, 'GET services?limit=100&offset=0']));
    expect(edge.state).toBe('active');
    edge.dispose();
  });

  test('without keepAlive no poll extends it: a forgotten page signs out', async () => {
    const controller = servicesController();
    const end = Date.now() + 30 * minute;
    // The controller tells what is left.
    const { edge } = await signedIn({
      async fetch(input, init) {
        const left = Math.max(0, end - Date.now());
        if (left === 0) controller.live.clear();
        const response = await controller.fetch(input, init);
        response.headers.set('svc-session-expires-in', String(left / 1_000));
        return response;
      },
    });
    const { ended } = iterate(edge);
    await pass(31 * minute);
    expect(edge.state).toBe('expired');
    expect(await ended).toMatchObject({ name: 'EdgeAuthQueryError', code: 'NO_SESSION' });
    expect(controller.seen).not.toContain(poll);
    const { length } = controller.seen;
    await pass(10 * minute);
    expect(controller.seen).toHaveLength(length);
    edge.dispose();
  });

  test('an end that a poll finds ends the iteration with the error of the controller as its cause', async () => {
    const { edge, controller } = await signedIn();
    const { ended } = iterate(edge);
    await pass(100);
    controller.live.clear();
    await pass(minute);
    expect(await ended).toMatchObject({ code: 'NO_SESSION', cause: { code: 'UNAUTHORIZED', status: 401 } });
    edge.dispose();
  });

  test('without one, an iteration ends at once', async () => {
    const controller = servicesController();
    const edge = createEdgeClient(controller.url, { fetch: controller.fetch });
    const { ended } = iterate(edge);
    await pass(100);
    expect(await ended).toMatchObject({ name: 'EdgeAuthQueryError', code: 'NO_SESSION' });
    expect(controller.seen).toEqual([]);
    edge.dispose();
  });

  test.each(['this client', 'another client'])(
    'a sign-out in %s ends the iteration without an error',
    async (where) => {
      const storage = memoryStorage();
      const { edge, controller } = await signedIn({ storage });
      const other = createEdgeClient(controller.url, { fetch: controller.fetch, storage });
      await other.restore();
      const { ended, lists } = iterate(edge);
      await pass(100);
      expect(lists).toHaveLength(1);
      await (where === 'this client' ? edge : other).signOut();
      await pass(100);
      expect(await ended).toBe('ended');
      const polls = controller.polls();
      await pass(10 * minute);
      expect(controller.polls()).toBe(polls);
      for (const client of [edge, other]) client.dispose();
    },
  );

  test('a sign-out while the loop is busy ends the iteration, although somebody signs in again', async () => {
    const { edge, controller } = await signedIn();
    const iterator = edge.services.changes()[Symbol.asyncIterator]();
    void iterator.next();
    await pass(100);
    await edge.signOut();
    await edge.signIn.password(alice);
    controller.change(wiki);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    edge.dispose();
  });

  test('reauthenticate replaces it, and the iteration reads the list of the new one', async () => {
    const { edge, controller } = await signedIn({
      reauthenticate: (): Promise<unknown> => edge.signIn.password(alice),
    });
    controller.change(wiki);
    const { lists } = iterate(edge);
    await pass(100);
    controller.live.clear();
    await pass(minute);
    expect([lists, edge.session?.id]).toEqual([['wiki', 'wiki'], 'id-of-token-2']);
    edge.dispose();
  });

  test('when reauthenticate fails, the iteration ends with its error', async () => {
    const { edge, controller } = await signedIn({ reauthenticate: () => Promise.reject(new Error('no password')) });
    const { ended } = iterate(edge);
    await pass(100);
    controller.live.clear();
    await pass(minute);
    expect(await ended).toEqual(new Error('no password'));
    edge.dispose();
  });

  test('a new sign-in leads to a poll at once', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const { lists } = iterate(edge);
    await pass(100);
    controller.change(mail);
    await edge.signIn.password(alice);
    await pass(100);
    expect(lists).toEqual(['wiki', 'mail']);
    edge.dispose();
  });

  test('while it is partial the iteration waits, and goes on when the queries are answered', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const { lists } = iterate(edge);
    await pass(100);
    controller.settings.detail = { authQueries: [{ typeId: 'MFA', provider: 'svc' }] };
    controller.responses.push(refusal(401, 'UNAUTHORIZED'));
    await pass(minute);
    expect(edge.state).toBe('partial');
    const { length } = controller.seen;
    controller.change(mail);
    await pass(10 * minute);
    expect(controller.seen).toHaveLength(length);
    controller.settings.detail = {};
    await edge.client.currentApiSession.get();
    await pass(100);
    expect([edge.state, lists]).toEqual(['active', ['wiki', 'mail']]);
    edge.dispose();
  });
});

describe('a failure', () => {
  test('of the network or the controller does not end it: it tries again after growing pauses', async () => {
    const { edge, controller } = await signedIn();
    const { lists } = iterate(edge);
    await pass(100);
    controller.change(wiki);
    controller.settings.isDown = true;
    await pass(10 * minute);
    expect([lists, edge.state]).toEqual([[''], 'stale']);
    expect(controller.polls()).toBeGreaterThan(10);
    expect(controller.polls()).toBeLessThan(20);
    controller.settings.isDown = false;
    await pass(80_000);
    expect([lists, edge.state]).toEqual([['', 'wiki'], 'active']);
    edge.dispose();
  });

  test('with Retry-After is followed by no poll before that time', async () => {
    const page = browserWindow();
    const { edge, controller } = await signedIn();
    iterate(edge);
    await pass(100);
    controller.responses.push(refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '90' }));
    await pass(minute);
    expect(controller.polls()).toBe(2);
    for (let at = 0; at < 8; at += 1) {
      page.connect(true);
      await pass(10_000);
    }
    expect(controller.polls()).toBe(2);
    await pass(40_000);
    expect(controller.polls()).toBe(3);
    edge.dispose();
  });

  test('of the first list does not end it either', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    controller.responses.push(usual, refusal(429, 'SERVER_TOO_MANY_REQUESTS'));
    const { lists } = iterate(edge);
    await pass(5_000);
    expect(lists).toEqual(['wiki']);
    edge.dispose();
  });

  test('that another try cannot repair ends it', async () => {
    const { edge, controller } = await signedIn();
    controller.responses.push(refusal(404, 'NOT_FOUND'));
    const { ended } = iterate(edge);
    await pass(100);
    expect(await ended).toMatchObject({ name: 'EdgeApiError', code: 'NOT_FOUND' });
    expect(edge.state).toBe('active');
    edge.dispose();
  });
});

describe('a page', () => {
  test('that is hidden polls when it is shown again; "always" goes on', async () => {
    const page = browserWindow();
    const { edge, controller } = await signedIn();
    const always = await signedIn({ keepAlive: 'always' });
    const { lists } = iterate(edge);
    iterate(always.edge);
    await pass(100);
    page.show('hidden');
    controller.change(wiki);
    await pass(10 * minute);
    expect([controller.polls(), lists]).toEqual([1, ['']]);
    expect(always.controller.polls()).toBe(11);
    page.show('visible');
    await pass(1_000);
    expect([controller.polls(), lists]).toEqual([2, ['', 'wiki']]);
    for (const client of [edge, always.edge]) client.dispose();
  });

  test('that is hidden and shown all the time polls every five seconds at most', async () => {
    const page = browserWindow();
    const { edge, controller } = await signedIn();
    iterate(edge);
    await pass(100);
    for (let at = 0; at < 60; at += 1) {
      page.show(at % 2 === 0 ? 'hidden' : 'visible');
      await pass(1_000);
    }
    expect(controller.polls()).toBeLessThanOrEqual(13);
    edge.dispose();
  });

  test('that is hidden from the start reads the first list', async () => {
    const page = browserWindow();
    page.show('hidden');
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const { lists } = iterate(edge);
    await pass(10 * minute);
    expect([lists, controller.polls()]).toEqual([['wiki'], 1]);
    edge.dispose();
  });

  test('that is offline waits for the network', async () => {
    const page = browserWindow();
    const { edge, controller } = await signedIn();
    const { lists } = iterate(edge);
    await pass(100);
    page.connect(false);
    controller.change(wiki);
    await pass(10 * minute);
    expect(controller.polls()).toBe(1);
    page.connect(true);
    await pass(1_000);
    expect([controller.polls(), lists]).toEqual([2, ['', 'wiki']]);
    edge.dispose();
  });
});

describe('the clock', () => {
  test('after a sleep of the machine there is one poll, after a short time', async () => {
    const { edge, controller } = await signedIn();
    iterate(edge);
    await pass(100);
    // The clock moves on, the timers do not.
    vi.setSystemTime(Date.now() + 8 * 60 * minute);
    await pass(29_000);
    expect(controller.polls()).toBe(1);
    await pass(2_000);
    expect(controller.polls()).toBe(2);
    edge.dispose();
  });

  test('that is set back delays no poll', async () => {
    const { edge, controller } = await signedIn();
    iterate(edge);
    await pass(100);
    vi.setSystemTime(Date.now() - 24 * 60 * minute);
    await pass(minute);
    expect(controller.polls()).toBeGreaterThan(1);
    expect(controller.polls()).toBeLessThan(4);
    edge.dispose();
  });

  test('of a test moves it', async () => {
    const jumps = new Set<(waitUntil: (work: Promise<unknown>) => void) => void>();
    let ahead = 0;
    const { edge, controller } = await signedIn({
      clock: {
        now: () => Date.now() + ahead,
        onJump: (listener, signal) => {
          jumps.add(listener);
          signal.addEventListener('abort', () => jumps.delete(listener));
        },
      },
    });
    const before = jumps.size;
    const aborter = new AbortController();
    const { ended, lists } = iterate(edge, { signal: aborter.signal });
    await pass(100);
    controller.change(wiki);
    ahead += minute;
    const work: Promise<unknown>[] = [];
    for (const listener of jumps) listener((one) => work.push(one));
    await Promise.all(work);
    expect(controller.polls()).toBe(2);
    await pass(1);
    expect(lists).toEqual(['', 'wiki']);
    aborter.abort();
    await ended;
    expect(jumps.size).toBe(before);
    edge.dispose();
  });
});
