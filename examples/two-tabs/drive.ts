// Tests the page in tabs of Chromium with a controller of its own. The exit code is 0 when every step has succeeded.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openBrowser, openPage } from '../browser-sign-in/open-browser.ts';
import { servePage } from '../browser-sign-in/serve-page.ts';
import { startController } from '../keep-alive/start-controller.ts';
import { Restart } from './restart.ts';
import { signIn } from './sign-in.ts';

const { EDGE_PAGE_PORT = '5180' } = process.env;
const origin = `http://localhost:${EDGE_PAGE_PORT}`;

/** When the newest line with this text was added, in milliseconds. */
async function seenAt(page: Page, text: string): Promise<number> {
  const line = page.locator('#log li').getByText(text, { exact: true }).last();
  return Number(await line.getAttribute('data-at'));
}

async function follow(first: Page, second: Page): Promise<void> {
  await signIn(first, controller.credentials);
  await second.getByRole('heading', { name: 'Signed in as' }).waitFor();
  const signInDelay = (await seenAt(second, 'active')) - (await seenAt(first, 'active'));
  console.log(`the other tab saw the sign-in after ${signInDelay.toFixed(1)} ms`);

  await second.bringToFront();
  await second.getByRole('button', { name: 'Sign out' }).click();
  await first.getByRole('heading', { name: 'Sign in' }).waitFor();
  const signOutDelay = (await seenAt(first, 'signed-out')) - (await seenAt(second, 'signed-out'));
  console.log(`the other tab saw the sign-out after ${signOutDelay.toFixed(1)} ms`);
  // Usually a few milliseconds. The limit leaves room for a busy machine.
  assert.ok(Math.max(signInDelay, signOutDelay) < 1_000);
}

await using controller = await startController({ origin, sessionTimeout: '30m' });
const server = await servePage({ port: Number(EDGE_PAGE_PORT), controller: controller.url, base: import.meta.url });
const browser = await openBrowser(controller.url);
try {
  const tabs = await browser.newContext();
  const allErrors: string[][] = [];
  const openTab = async () => {
    const { page, errors } = await openPage(tabs);
    allErrors.push(errors);
    await page.goto(origin);
    return page;
  };
  const [first, second] = await Promise.all([openTab(), openTab()]);
  await follow(first, second);

  await signIn(first, controller.credentials);
  const others = await Promise.all(Array.from({ length: 6 }, openTab));
  const restart = new Restart(controller, [first, second, ...others]);
  await restart.keepingSessions();
  await restart.losingSessions();
  assert.deepEqual(allErrors.flat(), []);
} finally {
  await browser.close();
  server.close();
}
