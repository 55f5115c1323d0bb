// Tests the application in Chromium against a running controller. The exit code is 0 when every step has succeeded.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createEdgeClient } from '@edge-controller/sdk/node';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import decodeQR from 'qr/decode.js';
import type { ViteDevServer } from 'vite';
import { createServer } from 'vite';
import { openBrowser, openPage } from '../browser-sign-in/open-browser.ts';
import { createAuthenticator } from '../totp/authenticator.ts';
import type { Person } from './with-person.ts';
import { withPerson } from './with-person.ts';

const {
  EDGE_URL: url = 'https://localhost:1280',
  EDGE_PAGE_PORT = '5180',
  EDGE_CA: caFile = fileURLToPath(new URL('../../.edge-controller/pki/ca.pem', import.meta.url)),
  EDGE_ADMIN_USERNAME: username = '',
  EDGE_ADMIN_PASSWORD: password = '',
} = process.env;
const address = `http://localhost:${EDGE_PAGE_PORT}/`;

async function signIn(page: Page, person: Person): Promise<void> {
  await page.getByLabel('User name').fill(person.username);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Reads the QR code from a picture of the screen, as an authenticator app does. */
async function scan(page: Page): Promise<string> {
  const image = PNG.sync.read(await page.getByAltText('QR code for the authenticator app').screenshot());
  return decodeQR(image, { timeLimit: 5_000 });
}

async function drive(page: Page, person: Person): Promise<void> {
  const alert = page.getByRole('alert');
  const state = page.locator('.badge');
  await page.goto(address);
  await signIn(page, { ...person, password: 'not the password' });
  await alert.getByText('User name or password are not right.').waitFor();
  await signIn(page, person);
  await state.getByText('full').waitFor();
  assert.match((await page.locator('time').textContent()) ?? '', /^(30:00|29:5\d)$/);
  console.log('signed in with a password; the page shows the state and expiry of the session');

  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const provisioningUrl = new URL(await scan(page));
  const secret = provisioningUrl.searchParams.get('secret') ?? '';
  assert.equal(secret, await page.locator('.key code').textContent());
  const authenticator = createAuthenticator(secret);
  await page.getByLabel('Code').fill(await authenticator.nextCode());
  await page.getByRole('button', { name: 'Verify' }).click();
  await state.getByText('full').waitFor();
  console.log('scanned the QR code and enrolled an authenticator app');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, person);
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await alert.getByText(/not right. Attempts left: \d+/).waitFor();
  await page.getByLabel('Code').fill(await authenticator.nextCode());
  await page.getByRole('button', { name: 'Continue' }).click();
  await state.getByText('full').waitFor();
  assert.equal(await alert.count(), 0);
  console.log('entered a wrong code for the second factor, then a right one');
}

/** The page with the HTML that a server renders. */
async function renderPage(vite: ViteDevServer): Promise<string> {
  const { renderApp } = await vite.ssrLoadModule('/server.tsx');
  const html = renderApp();
  assert.match(html, /Looking for your session/);
  const source = await readFile(new URL('index.html', import.meta.url), 'utf8');
  const page = source.replace('/main.tsx', '/hydrate.tsx').replace('<main id="app">', `$&${html}`);
  return vite.transformIndexHtml('/rendered', page);
}

/** React reports a difference between the HTML of the server and the first render on the console. */
async function hydrate(page: Page): Promise<void> {
  await page.goto(`${address}rendered`);
  await page.locator('.badge').getByText('full').waitFor();
  console.log('hydrated a page that a server has rendered');
}

async function signOutInAnotherTab(page: Page, other: Page): Promise<void> {
  await other.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You have signed out in another tab.').waitFor();
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await other.getByText('in another tab').count(), 0);
  console.log('signed out in another tab; this tab shows it');
}

const admin = createEdgeClient(url, { caFile });
await admin.signIn.password({ username, password });
const server = await createServer({
  root: import.meta.dirname,
  logLevel: 'warn',
  plugins: [
    {
      name: 'rendered page',
      configureServer: (vite) =>
        void vite.middlewares.use('/rendered', async (_request, response) =>
          response.setHeader('content-type', 'text/html').end(await renderPage(vite)),
        ),
    },
  ],
});
await server.listen();
const browser = await openBrowser(url);
try {
  const tabs = await browser.newContext();
  const { page, errors } = await openPage(tabs);
  await withPerson(admin, async (person) => {
    await drive(page, person);
    // Later, because Chromium slows down the tab in the background.
    const { page: other, errors: otherErrors } = await openPage(tabs);
    await hydrate(other);
    await signOutInAnotherTab(page, other);
    // React reports wrong use of its hooks as errors on the console.
    assert.deepEqual([...errors, ...otherErrors], []);
  });
} finally {
  await browser.close();
  await server.close();
  await admin.signOut();
}
