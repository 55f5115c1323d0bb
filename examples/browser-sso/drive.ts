// Tests the page in Chromium with a real OpenID provider against a running controller. The exit code is 0 when every step
// has succeeded.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { createEdgeClient } from '@edge-controller/sdk/node';
import type { Page } from 'playwright-core';
import { openBrowser, openPage } from '../browser-sign-in/open-browser.ts';
import { servePage } from '../browser-sign-in/serve-page.ts';
import { startProvider } from './provider.ts';
import { register, unregister } from './register.ts';

const {
  EDGE_URL: url = 'https://localhost:1280',
  EDGE_PAGE_PORT = '5180',
  EDGE_CA: caFile = fileURLToPath(new URL('../../.edge-controller/pki/ca.pem', import.meta.url)),
  EDGE_ADMIN_USERNAME: username = '',
  EDGE_ADMIN_PASSWORD: password = '',
} = process.env;
const address = `http://localhost:${EDGE_PAGE_PORT}/`;

/** Signs in at the provider, as somebody who came from the page. */
async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function drive(page: Page, grace: { username: string; password: string }): Promise<void> {
  const badge = page.locator('#state');
  const message = page.getByRole('alert');
  const throughProvider = page.getByRole('button', { name: 'Sign in with browser-sso example provider' });
  const keys = () => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('pending')));

  await page.goto(address);
  await throughProvider.click();
  await signInAtProvider(page, 'nobody');
  await message.getByText('Nobody here has the name').waitFor();
  console.log('the provider knows a person whom the controller does not');

  await throughProvider.click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await message.getByText('You have not signed in at the provider.').waitFor();
  console.log('a person has cancelled at the provider');

  await throughProvider.click();
  await signInAtProvider(page, 'ada');
  await badge.getByText('full').waitFor();
  assert.equal(page.url(), address);
  assert.deepEqual(await keys(), []);
  await page.getByRole('button', { name: 'Use the session' }).click();
  await page.locator('#external-id').getByText('ada').waitFor();
  console.log('signed in through the provider; the code is no longer in the address');

  await page.reload();
  await badge.getByText('full').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await throughProvider.waitFor();
  console.log('kept the session after a reload, and signed out');

  await page.getByLabel('User name').fill(grace.username);
  await page.getByLabel('Password').fill(grace.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const confirm = page.getByRole('button', { name: 'Continue at the provider' });
  await confirm.click();
  await signInAtProvider(page, 'ada');
  await confirm.waitFor();
  console.log('the token of somebody else is no second factor');

  await confirm.click();
  await signInAtProvider(page, 'grace');
  await badge.getByText('full').waitFor();
  await page.getByRole('button', { name: 'Use the session' }).click();
  await page.locator('#external-id').getByText('grace').waitFor();
  assert.equal(await message.isVisible(), false);
  console.log('signed in with a password, and confirmed it through the provider');

  await page.evaluate(() => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith('edge-oidc')) sessionStorage.removeItem(key);
  });
  await page.reload();
  await confirm.waitFor();
  console.log('without the token of the provider the session is partial again');
}

const admin = createEdgeClient(url, { caFile });
await admin.signIn.password({ username, password });
const provider = await startProvider({ port: 0, page: address });
const server = await servePage({
  ...{ port: Number(EDGE_PAGE_PORT), controller: url, base: import.meta.url, connect: [provider.issuer] },
});
const browser = await openBrowser(url);
try {
  await unregister(admin);
  const grace = await register(admin, provider.issuer);
  const { page, errors } = await openPage(browser);
  await drive(page, grace);
  assert.deepEqual(errors, []);
} finally {
  await browser.close();
  server.close();
  await unregister(admin);
  await provider.close();
  await admin.signOut();
}
