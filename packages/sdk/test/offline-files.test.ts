import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EdgeClient } from '../src/index.ts';
import { bundle } from './support/bundle.ts';
import { openChromium } from './support/chromium.ts';
import { json, scriptedServer, sessionDetail } from './support/scripted-server.ts';

/** What the script of the page has. */
type Sdk = Pick<typeof import('../src/index.ts'), 'createEdgeClient' | 'isEdgeNetworkError'>;
declare const sdk: Sdk;
declare let edge: EdgeClient;

const contents = "export { createEdgeClient, isEdgeNetworkError } from './index.ts'";
const page = '<!doctype html><script type="module">globalThis.sdk = await import("/stdin.js")</script>';

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser.close());

/** Serves a page, the files of the SDK and a controller. A file that has a name in `broken` is lost once. */
async function openPage(files: ReadonlyMap<string, string>, detail: Record<string, unknown> = { isVerified: true }) {
  const broken = new Set<string>();
  const server = await scriptedServer(({ path }, response) => {
    const file = path.slice(1);
    const name = file.replace(/-\w{8}\.js$/, '');
    if (broken.delete(name)) return response.destroy();
    if (path === '/') return response.setHeader('content-type', 'text/html').end(page);
    if (files.has(file)) return response.setHeader('content-type', 'text/javascript').end(files.get(file));
    if (!path.startsWith('/edge/')) return response.writeHead(404).end();
    return json(response, 200, { data: sessionDetail('token-1', detail), meta: {} });
  });
  const context = await browser.newContext();
  const tab = await context.newPage();
  const logged: string[] = [];
  tab.on('console', (entry) => logged.push(entry.text()));
  tab.on('pageerror', (error) => logged.push(String(error)));
  await tab.goto(`${server.url}/`);
  await tab.waitForFunction(() => 'sdk' in globalThis);
  const paths = () => server.seen.map(({ path }) => path);
  return {
    ...{ context, tab, broken, logged, server },
    calls: () => paths().filter((path) => path.startsWith('/edge/')),
    loaded: (name: string) => paths().filter((path) => path.startsWith(`/${name}-`)).length,
    async [Symbol.asyncDispose]() {
      await context.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const create = (tab: Page) =>
  tab.evaluate((url) => {
    Object.assign(globalThis, { edge: sdk.createEdgeClient(new URL(url).origin, { retries: 0 }) });
  }, tab.url());

const signIn = (tab: Page) =>
  tab.evaluate(async () => {
    const signedIn = edge.signIn.password({ username: 'alice', password: 'a password' });
    return signedIn.then(
      ({ identity }) => identity.name,
      (error: Error) => `${sdk.isEdgeNetworkError(error)} ${error.message}`,
    );
  });

const goOffline = async (context: BrowserContext, tab: Page) => {
  await context.setOffline(true);
  await tab.waitForFunction('!navigator.onLine');
};

describe.each([
  ['fetch', 'browser'],
  ['ky', 'neutral'],
] as const)('a page that sends with %s', (_name, platform) => {
  let files: ReadonlyMap<string, string>;
  beforeAll(async () => {
    files = (await bundle(contents, { platform })).chunks;
  });

  test('a sign-in whose file cannot be loaded rejects with EdgeNetworkError, and works when the network is back', async () => {
    await using opened = await openPage(files);
    const { context, tab, logged } = opened;
    logged.length = 0;
    await goOffline(context, tab);
    await create(tab);
    await tab.evaluate('new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 100)))');
    // The browser logs each file that it cannot load: an idle page has tried none.
    expect(logged).toEqual([]);
    expect(await signIn(tab)).toMatch(/^true no response from the server of the files of the SDK: the page is offline/);

    await context.setOffline(false);
    expect(await signIn(tab)).toBe('alice');
  });

  test('an idle page loads the file of a sign-in and of a call, and asks the controller nothing', async () => {
    await using opened = await openPage(files);
    const { context, tab } = opened;
    await create(tab);
    await expect.poll(() => opened.loaded('session')).toBe(1);
    expect(opened.calls()).toEqual([]);

    await tab.waitForLoadState('networkidle');
    await goOffline(context, tab);
    expect(await signIn(tab)).toMatch(/^true no response from http.*\/authenticate/);
  });

  test('a page that was offline loads this file when it is online', async () => {
    await using opened = await openPage(files);
    const { context, tab } = opened;
    await goOffline(context, tab);
    await create(tab);
    await context.setOffline(false);
    await expect.poll(() => opened.loaded('session')).toBe(1);
  });

  test('a file that is lost once is loaded again', async () => {
    await using opened = await openPage(files);
    const { tab, broken } = opened;
    broken.add('session');
    await create(tab);
    expect(await signIn(tab)).toBe('alice');
    expect(opened.loaded('session')).toBe(2);
  });

  test('a sign-in whose queries cannot be asked rejects with EdgeNetworkError, and its session stays partial', async () => {
    const some = new Map([...files].filter(([name]) => !name.startsWith('rest-')));
    expect(some.size).toBe(files.size - 1);
    await using opened = await openPage(some, { authQueries: [{ typeId: 'MFA', provider: 'ziti' }] });
    const { tab } = opened;
    await create(tab);
    const result = await tab.evaluate(async () => {
      const credentials = { username: 'alice', password: 'a password' };
      const signedIn = edge.signIn.password(credentials, { onAuthQuery: () => Promise.resolve() });
      const isTyped = await signedIn.then(() => false, sdk.isEdgeNetworkError);
      return [isTyped, edge.state];
    });
    expect(result).toEqual([true, 'partial']);
  });

  test('a session becomes stale when a call cannot load its files', async () => {
    await using opened = await openPage(files);
    const { context, tab } = opened;
    const call = () =>
      tab.evaluate(async () => {
        const result = await edge.mfa.isEnabled().catch((error: unknown) => sdk.isEdgeNetworkError(error) && 'offline');
        return [result, edge.state];
      });
    await create(tab);
    await signIn(tab);
    await goOffline(context, tab);
    expect(await call()).toEqual(['offline', 'stale']);
    await context.setOffline(false);
    expect(await call()).toEqual([true, 'active']);
  });
});

test('a page with `/single` signs in, calls and signs out without a request for another file', async () => {
  const { chunks: files } = await bundle(contents, { isOneFile: true });
  await using opened = await openPage(files);
  const { tab, server } = opened;
  await create(tab);
  expect(await signIn(tab)).toBe('alice');
  const results = await tab.evaluate(async () => [await edge.mfa.isEnabled(), (await edge.signOut()).confirmed]);
  expect(results).toEqual([true, true]);
  const filesSeen = server.seen.map(({ path }) => path).filter((path) => path.endsWith('.js'));
  expect(filesSeen).toEqual(['/stdin.js']);
});

test('a sign-out before the session could be loaded is told once', async () => {
  const { chunks: files } = await bundle(contents);
  await using opened = await openPage(files);
  const { context, tab } = opened;
  await goOffline(context, tab);
  const [confirmed, received] = await tab.evaluate(async (url) => {
    const storage = { get: () => 'token-1', set: () => undefined, remove: () => undefined };
    const client = sdk.createEdgeClient(new URL(url).origin, { retries: 0, storage });
    const received: string[] = [];
    client.on('stateChange', ({ previous, state }) => received.push(`${previous} ${state}`));
    client.subscribe(() => received.push(client.getSnapshot().state));
    const { confirmed } = await client.signOut();
    await client.signOut();
    return [confirmed, received] as const;
  }, tab.url());
  expect(confirmed).toBe(false);
  expect(received).toEqual(['unknown signed-out', 'signed-out']);
});
