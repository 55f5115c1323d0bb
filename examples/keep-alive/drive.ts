// Tests the page in Chromium with a controller of its own. The exit code is 0 when every step has succeeded.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openBrowser, openPage } from '../browser-sign-in/open-browser.ts';
import { servePage } from '../browser-sign-in/serve-page.ts';
import { startController } from './start-controller.ts';

const { EDGE_PAGE_PORT = '5180' } = process.env;
const origin = `http://localhost:${EDGE_PAGE_PORT}`;
/** The page sleeps so long, as when a laptop is closed. Less than the session timeout. */
const sleep = '21:00';

async function drive(page: Page, controller: Awaited<ReturnType<typeof startController>>): Promise<void> {
  const state = page.locator('#state');
  const lines = page.locator('#log li');
  let signIns = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/authenticate?')) signIns += 1;
  });
  await page.clock.install();
  await page.goto(origin);
  await page.getByLabel('User name').fill(controller.credentials.username);
  await page.getByLabel('Password').fill(controller.credentials.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await state.getByText('active').waitFor();

  await page.clock.fastForward(sleep);
  await lines.getByText('extended').first().waitFor();
  console.log('after 21 of 30 minutes, the page extended its session');

  await controller.stop();
  await page.clock.fastForward(sleep);
  await state.getByText('stale').waitFor();
  console.log('the controller is away: the session is stale');

  await controller.startAgain();
  // The page tries again soon. This saves the wait.
  await page.clock.fastForward('01:00');
  await state.getByText('active').waitFor();
  await page.getByRole('button', { name: 'Use the session' }).click();
  await lines.getByText('used').waitFor();
  assert.deepEqual(
    (await lines.allTextContents()).filter((line) => ['active', 'stale', 'expired', 'signed-out'].includes(line)),
    ['active', 'stale', 'active'],
  );
  assert.equal(signIns, 1);
  console.log('the controller is back: the session is active, and nobody was asked for a password again');
}

await using controller = await startController({ origin, sessionTimeout: '30m' });
const server = await servePage({ port: Number(EDGE_PAGE_PORT), controller: controller.url, base: import.meta.url });
const browser = await openBrowser(controller.url);
try {
  const { page, errors } = await openPage(browser);
  await drive(page, controller);
  assert.deepEqual(errors, []);
} finally {
  await browser.close();
  server.close();
}
