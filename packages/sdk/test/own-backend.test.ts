import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { createSessionVerifier } from '../src/backend/create-session-verifier.ts';
import { expressSession } from '../src/backend/express-session.ts';
import type { EdgeClient } from '../src/index.ts';
import { startTestController } from '../src/testing/start-test-controller.ts';
import { bundle } from './support/bundle.ts';
import { openChromium } from './support/chromium.ts';
import { scriptedServer } from './support/scripted-server.ts';

/** What the script of the page has. */
declare const sdk: Pick<typeof import('../src/index.ts'), 'createEdgeClient'>;
declare let edge: EdgeClient;
declare const seen: string[];

const contents = "export { createEdgeClient } from './index.ts'";
const page = '<!doctype html><script type="module">globalThis.sdk = await import("/stdin.js")</script>';

/** A backend of another origin than the page. It says nothing about the headers that the session middleware adds. */
async function startBackend(pageOrigin: string, controller: { url: string; caFile: string }) {
  const { url, caFile } = controller;
  const app = express();
  app.use((request, response, next) => {
    response.set({ 'Access-Control-Allow-Origin': pageOrigin, 'Access-Control-Allow-Headers': 'svc-session' });
    if (request.method === 'OPTIONS') response.send();
    else next();
  });
  app.use(expressSession(createSessionVerifier({ controller: url, caFile })), (request, response) => {
    response.send(`Hello ${request.edgeSession?.identity.name}`);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a page that calls only its own backend does not warn while it is used, and its session ends in time', async () => {
  const { chunks } = await bundle(contents);
  await using pages = await scriptedServer(({ path }, response) => {
    const file = chunks.get(path.slice(1));
    response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript').end(file ?? page);
  });
  await using controller = await startTestController({ sessionTimeout: 6_000, corsOrigins: [pages.url] });
  const backend = await startBackend(pages.url, controller);
  const ada = await controller.createIdentity({ name: 'Ada Lovelace' });
  await using browser = await openChromium();
  const tab = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  await tab.goto(pages.url);
  await tab.waitForFunction('globalThis.sdk');
  await tab.evaluate(
    async ({ url, origin, username, password }) => {
      const client = sdk.createEdgeClient(url, { origins: [origin] });
      await client.signIn.password({ username, password });
      const events: string[] = [];
      client.on('expiring', () => events.push('expiring'));
      client.on('stateChange', ({ state }) => events.push(state));
      Object.assign(globalThis, { edge: client, seen: events });
    },
    { url: controller.url, origin: backend, username: ada.username, password: ada.password },
  );
  const questions: string[] = [];
  tab.on('request', (request) => {
    if (request.url().startsWith(controller.url)) questions.push(request.url());
  });
  const since = Date.now();
  while (Date.now() - since < 13_000) {
    await sleep(400);
    const greeting = await tab.evaluate(async (url) => (await edge.fetch(url)).text(), backend);
    expect(greeting).toBe('Hello Ada Lovelace');
  }
  expect(await tab.evaluate(() => seen)).toEqual([]);
  // The backend has told the end, so the page had no doubt.
  expect(questions).toEqual([]);
  await expect.poll(() => tab.evaluate(() => seen)).toEqual(['expiring', 'expired']);
});
