import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EdgeClient, SessionSnapshot } from '../src/index.ts';
import { createEdgeClient } from '../src/index.ts';
import type { SignInSnapshot } from '../src/react/index.ts';
import type { Framework } from './support/bindings.ts';
import { applicationOf } from './support/bindings.ts';
import { bundle, loadBundle } from './support/bundle.ts';
import { openChromium } from './support/chromium.ts';
import { json, refuse, scriptedServer, sessionDetail } from './support/scripted-server.ts';

interface Props {
  readonly client: EdgeClient;
  readonly initialSession?: SessionSnapshot;
}
declare const start: (props: Props) => () => void;
declare const hydrate: (props: Props) => unknown;
declare const createClient: (hasStorage: boolean) => EdgeClient;
declare let edge: EdgeClient;
declare let listeners: number;
declare let form: SignInSnapshot;
declare let stop: () => void;
declare const lines: string[];
declare const location: { readonly origin: string };

const ada: SessionSnapshot = {
  state: 'active',
  session: {
    ...{ state: 'full', id: 's', identity: { id: 'i', name: 'ada' }, expiresAt: null, expirationSeconds: null },
    authQueries: [],
  },
};
const page = (body = '') => `<!doctype html><link rel="icon" href="data:,"><div id="app">${body}</div>
  <script type="module">
    import * as app from '/stdin.js';
    Object.assign(globalThis, app, { isLoaded: true });
  </script>`;
/** Counts who listens to the client. */
const client = `
  import { createEdgeClient, webStorage } from './index.ts';
  globalThis.listeners = 0;
  export function createClient(hasStorage) {
    const edge = createEdgeClient(location.origin, { retries: 0, ...(hasStorage && { storage: webStorage('local') }) });
    const { subscribe } = edge;
    edge.subscribe = (listener) => {
      globalThis.listeners += 1;
      const stop = subscribe(listener);
      return () => {
        globalThis.listeners -= 1;
        stop();
      };
    };
    return edge;
  }
`;

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser.close());

/** Serves an application with its controller, and opens it. The password says what the controller does. */
async function openPage(framework: Framework, body?: string) {
  const { chunks } = await bundle(`${client} ${applicationOf(framework, 'client')}`);
  const server = await scriptedServer(({ path, body: sent }, response) => {
    if (path === '/') return response.setHeader('content-type', 'text/html').end(page(body));
    const file = chunks.get(path.slice(1));
    if (file !== undefined) return response.setHeader('content-type', 'text/javascript').end(file);
    const { password } = path.includes('/authenticate?') ? JSON.parse(sent) : {};
    if (password === 'is slow') return;
    if (password === 'is wrong') return refuse(response, 401, 'INVALID_AUTH');
    return json(response, 200, { data: sessionDetail('token-1'), meta: {} });
  });
  const tab = await browser.newPage();
  const logged: string[] = [];
  tab.on('console', (entry) => void (entry.text().includes('401') || logged.push(entry.text())));
  tab.on('pageerror', (error) => logged.push(String(error)));
  await tab.goto(server.url);
  await tab.waitForFunction(() => 'isLoaded' in globalThis);
  return {
    ...{ tab, logged },
    shows: (text: string) => tab.getByText(text, { exact: true }).waitFor({ timeout: 10_000 }),
    async [Symbol.asyncDispose]() {
      await tab.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe.each<Framework>(['react', 'vue', 'svelte', 'solid'])('the entry for %s', (framework) => {
  test('shows the session, its sign-in and their changes until the component ends', async () => {
    await using application = await openPage(framework);
    const { tab, logged, shows } = application;
    await tab.evaluate(() => {
      edge = createClient(true);
      stop = start({ client: edge });
    });
    await shows('signed-out - idle fine');
    const signIn = (password: string) =>
      tab.evaluate((given) => form.signIn.password({ username: 'alice', password: given }), password);
    const isRefused = signIn('is wrong');
    expect(await isRefused).toBeNull();
    await shows('signed-out - idle error');
    const isOvertaken = signIn('is slow');
    await shows('signed-out - pending fine');
    expect(await signIn('is right')).toMatchObject({ identity: { name: 'alice' } });
    expect(await isOvertaken).toBeNull();
    await shows('active alice idle fine');
    const isAborted = signIn('is slow');
    await shows('active alice pending fine');
    await tab.evaluate(() => form.reset());
    await shows('active alice idle fine');
    expect(await isAborted).toBeNull();
    await tab.evaluate(() => void edge.signOut());
    await shows('signed-out - idle fine');
    expect(await tab.evaluate(() => listeners)).toBe(1);
    await tab.evaluate(() => stop());
    await tab.waitForFunction(() => listeners === 0);
    // A sign-in outlives the component, for example because its success removes the form.
    expect(await signIn('is right')).toMatchObject({ state: 'full' });
    expect(logged).toEqual([]);
  });

  test('renders on a server what it gets, without a subscription', async () => {
    const { render } = await loadBundle<{ render(props: Props): Promise<string> }>(applicationOf(framework, 'server'));
    const storage = { get: () => null, set: () => undefined, remove: () => undefined };
    const plain = createEdgeClient('https://localhost:1280', { storage });
    const client: EdgeClient = {
      ...plain,
      subscribe: () => {
        throw new Error('a server must not subscribe');
      },
    };
    expect(await render({ client })).toMatch(/(^|>)unknown - idle fine(<|$)/);
    expect(await render({ client, initialSession: ada })).toMatch(/(^|>)active ada idle fine(<|$)/);
    plain.dispose();
  });
});

test.each<Framework>(['react', 'vue', 'svelte'])(
  'a page that %s has rendered is taken over as it is',
  async (framework) => {
    const { render } = await loadBundle<{ render(props: Props): Promise<string> }>(applicationOf(framework, 'server'));
    const edgeOfServer = createEdgeClient('https://localhost:1280');
    const body = await render({ client: edgeOfServer, initialSession: ada });
    edgeOfServer.dispose();
    await using application = await openPage(framework, body);
    const { tab, logged, shows } = application;
    await tab.evaluate(async (initialSession) => {
      edge = createClient(true);
      await edge.waitFor('signed-out');
      await edge.signIn.password({ username: 'alice', password: 'is right' });
      hydrate({ client: edge, initialSession });
    }, ada);
    await shows('active alice idle fine');
    const [first] = await tab.evaluate(() => lines);
    expect(first).toBe('active ada idle fine');
    expect(logged).toEqual([]);
  },
);

test.each<Framework>(['react', 'vue', 'svelte', 'solid'])(
  '%s shows what the server knew until the client knows',
  async (framework) => {
    await using application = await openPage(framework);
    const { tab, logged, shows } = application;
    await tab.evaluate(async (initialSession) => {
      localStorage.setItem(`edge-session ${location.origin}`, 'token-1');
      edge = createClient(true);
      start({ client: edge, initialSession });
    }, ada);
    await shows('active ada idle fine');
    await tab.evaluate(() => edge.restore());
    await shows('active alice idle fine');
    expect(logged).toEqual([]);
  },
);
