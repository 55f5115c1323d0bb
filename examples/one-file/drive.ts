// Tests the page in Chromium. The exit code is 0 when every step has succeeded.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openBrowser, openPage } from '../browser-sign-in/open-browser.ts';
import { serveFiles } from './serve-files.ts';

const { EDGE_URL: controller = 'https://localhost:1280', EDGE_PAGE_PORT = '5180' } = process.env;
const { EDGE_ADMIN_USERNAME = 'admin', EDGE_ADMIN_PASSWORD = '' } = process.env;

async function drive(page: Page): Promise<void> {
  await page.goto(`http://localhost:${EDGE_PAGE_PORT}/?controller=${encodeURIComponent(controller)}`);
  await page.getByLabel('User name').fill(EDGE_ADMIN_USERNAME);
  await page.getByLabel('Password').fill(EDGE_ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Signed in as').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Signed out').waitFor();
}

const seen: string[] = [];
const server = await serveFiles(Number(EDGE_PAGE_PORT), seen);
const browser = await openBrowser(controller);
try {
  const { page, errors } = await openPage(browser);
  await drive(page);
  assert.deepEqual(seen, ['/', '/page.js', '/edge-controller.js']);
  assert.deepEqual(errors, []);
  console.log('the page signed in and out with one file of the SDK');
} finally {
  await browser.close();
  server.close();
}
