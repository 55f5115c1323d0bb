import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { fakeController } from '../../test/support/fake-controller.ts';
import type { EdgeClient } from '../index.ts';
import { createEdgeClient, webStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };

afterEach(() => vi.unstubAllGlobals());

/** The `localStorage` of a browser. Other tabs get `storage` events; here every tab listens to the same window. */
function browser(without: readonly string[] = []) {
  const values = new Map<string, string>();
  const target = new EventTarget();
  const change = (key: string, newValue: string | null) =>
    setImmediate(() => target.dispatchEvent(Object.assign(new Event('storage'), { key, newValue })));
  const area = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem(key: string, value: string) {
      values.set(key, value);
      change(key, value);
    },
    removeItem(key: string) {
      values.delete(key);
      change(key, null);
    },
  };
  vi.stubGlobal('document', new EventTarget());
  vi.stubGlobal('localStorage', area);
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
  for (const name of without) vi.stubGlobal(name, undefined);
  return { values };
}

test.each([
  ['BroadcastChannel and Web Locks', []],
  ['the storage event and the storage alone', ['BroadcastChannel', 'navigator']],
])('with %s, tabs see a sign-in and a sign-out at once', async (_name, without) => {
  const { values } = browser(without);
  const controller = fakeController();
  const open = () => createEdgeClient(controller.url, { fetch: controller.fetch, storage: webStorage('local') });
  const tabs: EdgeClient[] = [open(), open(), open()];
  const [first, second] = tabs as [EdgeClient, EdgeClient];
  await first.signIn.password(alice);
  await Promise.all(tabs.map((edge) => edge.waitFor('active', { timeout: 2_000 })));
  await second.signOut();
  await Promise.all(tabs.map((edge) => edge.waitFor('signed-out', { timeout: 2_000 })));
  expect(controller.sent.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  await expect.poll(() => [...values.keys()]).toEqual([]);
  for (const edge of tabs) edge.dispose();
});

test.each([
  ['Web Locks', []],
  ['the storage alone', ['navigator']],
])(
  '%s lets one section run at a time, and a lock that nobody gives back blocks for a limited time',
  async (_name, without) => {
    browser(without);
    const storages = [webStorage('local'), webStorage('local')];
    let running = 0;
    let most = 0;
    const section = async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
      return 'done';
    };
    const results = await Promise.all([0, 1, 0, 1].map((at) => storages[at]?.exclusive?.('key', section)));
    expect([results, most]).toEqual([['done', 'done', 'done', 'done'], 1]);
    await expect(storages[0]?.exclusive?.('key', () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    await sleep(60);
    void storages[0]?.exclusive?.('key', () => sleep(20_000, undefined, { ref: false }));
    await sleep(60);
    const start = Date.now();
    expect(await storages[1]?.exclusive?.('key', section)).toBe('done');
    expect(Date.now() - start).toBeLessThan(8_000);
  },
);

test('on a server it stores nothing and shares nothing', async () => {
  vi.stubGlobal('localStorage', { getItem: () => 'a token of somebody', setItem: () => expect.fail('written') });
  const controller = fakeController();
  for (const area of ['local', 'session'] as const) {
    await using edge = createEdgeClient(controller.url, { fetch: controller.fetch, storage: webStorage(area) });
    expect(await edge.restore()).toBeNull();
    await edge.signIn.password(alice);
    expect(edge.state).toBe('active');
  }
});

test('in a browser that blocks the storage, a session lives in the page', async () => {
  browser();
  vi.stubGlobal('localStorage', undefined);
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get() {
      throw new DOMException('denied', 'SecurityError');
    },
  });
  const controller = fakeController();
  await using edge = createEdgeClient(controller.url, { fetch: controller.fetch, storage: webStorage('local') });
  expect(await edge.restore()).toBeNull();
  await edge.signIn.password(alice);
  expect([edge.state, await edge.signOut()]).toEqual(['active', { confirmed: true }]);
});

test.each([
  ['Web Locks', []],
  ['the storage alone', ['BroadcastChannel', 'navigator']],
])(
  'with %s and no room in the storage, a session lives in the page, and the token before is gone',
  async (_name, without) => {
    const { values } = browser(without);
    const controller = fakeController();
    values.set(`edge-session ${controller.url}`, 'an older token');
    localStorage.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    await using edge = createEdgeClient(controller.url, { fetch: controller.fetch, storage: webStorage('local') });
    await edge.signIn.password(alice);
    expect((await edge.management.identities.list()).data).toEqual([]);
    expect([edge.state, [...values.keys()]]).toEqual(['active', []]);
    expect(await edge.signOut()).toEqual({ confirmed: true });
  },
);

test('a session storage belongs to one tab', async () => {
  browser();
  expect(webStorage('session').share).toBeUndefined();
});
