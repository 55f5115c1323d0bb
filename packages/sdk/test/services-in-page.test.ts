import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EdgeClient } from '../src/index.ts';
import { bundle } from './support/bundle.ts';
import { openChromium } from './support/chromium.ts';
import { json, scriptedServer, sessionDetail } from './support/scripted-server.ts';
import { serviceWith } from './support/services-controller.ts';

/** What the script of the page has. */
declare const sdk: Pick<typeof import('../src/index.ts'), 'createEdgeClient' | 'pagePosture'>;
declare const document: EventTarget & { readonly visibilityState: string };
declare let edge: EdgeClient;
/** Milliseconds by which the clock of the client is ahead. */
declare let ahead: number;
declare const lists: string[];

const contents = "export { createEdgeClient, pagePosture } from './index.ts'";
const page = '<!doctype html><script type="module">globalThis.sdk = await import("/stdin.js")</script>';

/** For a busy machine. */
const inTime = { timeout: 10_000 };

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser.close());

/** A page that has signed in at a controller. Its services have the name in `state`, and ask for the operating system. */
async function openPage(files: ReadonlyMap<string, string>) {
  const state = { at: 1, name: 'wiki' };
  const bodies: unknown[] = [];
  const server = await scriptedServer(({ path, body }, response) => {
    const file = path.slice(1);
    if (path === '/') return response.setHeader('content-type', 'text/html').end(page);
    if (files.has(file)) return response.setHeader('content-type', 'text/javascript').end(files.get(file));
    if (!path.startsWith('/edge/')) return response.writeHead(404).end();
    const ok = (data: unknown) => json(response, 200, { data, meta: {} });
    if (path.includes('/service-updates')) return ok({ lastChangeAt: new Date(state.at).toISOString() });
    if (path.includes('/services')) return ok([serviceWith(state.name, { id: 'c', queryType: 'OS', processes: null })]);
    if (!path.includes('/posture-response-bulk')) return ok(sessionDetail('token-1'));
    bodies.push(JSON.parse(body));
    return ok({ services: [] });
  });
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(`${server.url}/`);
  await tab.waitForFunction(() => 'sdk' in globalThis);
  await tab.evaluate(async (url) => {
    // Clients wait for up to a second, so that not all come back together.
    Math.random = () => 0.05;
    const clock = { now: () => Date.now() + ahead };
    const posture = sdk.pagePosture();
    Object.assign(globalThis, {
      ahead: 0,
      lists: [],
      edge: sdk.createEdgeClient(new URL(url).origin, { clock, posture }),
    });
    await edge.signIn.password({ username: 'alice', password: 'a password' });
  }, tab.url());
  const seen = (part: string) => server.seen.filter(({ path }) => path.includes(part)).length;
  return {
    ...{ context, tab, state, bodies, seen },
    iterate: () =>
      tab.evaluate(() => {
        void (async () => {
          for await (const services of edge.services.changes()) lists.push(services.map(({ name }) => name).join());
          lists.push('ended');
        })();
      }),
    lists: () => tab.evaluate(() => lists),
    change(name: string) {
      state.at += 1;
      state.name = name;
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ['in several files', {}],
  ['in one file', { isOneFile: true }],
])('a page with the SDK %s iterates over its services', async (_name, options) => {
  const { chunks } = await bundle(contents, options);
  await using opened = await openPage(chunks);
  const { context, tab, bodies, seen } = opened;
  expect([seen('/create-services-'), seen('/page-os-')]).toEqual([0, 0]);
  await opened.iterate();
  await expect.poll(opened.lists, inTime).toEqual(['wiki']);
  // Chromium tells a page its platform, but on Linux not its version.
  expect(bodies).toEqual([
    [{ id: 'c', typeId: 'OS', type: 'Linux', version: expect.stringMatching(/^(\d+\.\d+\.\d+)?$/) }],
  ]);

  const show = (visibility: string) =>
    tab.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      ahead += 60_000;
      document.dispatchEvent(new Event('visibilitychange'));
    }, visibility);
  opened.change('mail');
  await show('hidden');
  const polls = seen('/service-updates');
  await tab.waitForTimeout(200);
  expect(seen('/service-updates')).toBe(polls);
  await show('visible');
  await expect.poll(opened.lists, inTime).toEqual(['wiki', 'mail']);

  await context.setOffline(true);
  opened.change('chat');
  await tab.evaluate('ahead += 60_000');
  await context.setOffline(false);
  await expect.poll(opened.lists, inTime).toEqual(['wiki', 'mail', 'chat']);

  await tab.evaluate(() => edge.signOut());
  await expect.poll(opened.lists, inTime).toEqual(['wiki', 'mail', 'chat', 'ended']);
  expect(bodies).toHaveLength(1);
});
