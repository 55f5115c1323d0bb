// Tests the page in Chromium against a running controller. The exit code is 0 when every step has succeeded.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createEdgeClient, mtls } from '@edge-controller/sdk/node';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { createAuthenticator } from '../totp/authenticator.ts';
import { openBrowser, openPage } from './open-browser.ts';
import { servePage } from './serve-page.ts';

const {
  EDGE_URL: url = 'https://localhost:1280',
  EDGE_PAGE_PORT = '5180',
  EDGE_CA: caFile = fileURLToPath(new URL('../../.edge-controller/pki/ca.pem', import.meta.url)),
  EDGE_ADMIN_USERNAME: username = '',
  EDGE_ADMIN_PASSWORD: password = '',
} = process.env;
/** With `--screenshots` it also takes the pictures for the readme. */
const takesScreenshots = process.argv.includes('--screenshots');

async function screenshot(page: Page, name: string): Promise<void> {
  if (takesScreenshots)
    await page.screenshot({ path: fileURLToPath(new URL(`screenshots/${name}.png`, import.meta.url)) });
}

async function signIn(page: Page, person: { username: string; password: string }): Promise<void> {
  await page.getByLabel('User name').fill(person.username);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function drive(page: Page, person: { username: string; password: string }): Promise<void> {
  const badge = page.locator('#state');
  const message = page.getByRole('alert');
  await page.goto(`http://localhost:${EDGE_PAGE_PORT}/`);
  await screenshot(page, 'sign-in');

  await signIn(page, { ...person, password: 'not the password' });
  await message.getByText('User name or password are not right.').waitFor();
  await signIn(page, person);
  await badge.getByText('full').waitFor();
  assert.match((await page.locator('#left').textContent()) ?? '', /^(30:00|29:5\d)$/);
  await page.locator('#factor').getByText('none').waitFor();
  console.log('signed in with a password; the page shows the state and expiry of the session');

  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const qr = page.getByAltText('QR code for the authenticator app');
  await qr.waitFor();
  await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('#qr')?.naturalWidth ?? 0) >= 256);
  const authenticator = createAuthenticator((await page.locator('#secret').textContent()) ?? '');
  await screenshot(page, 'enroll');
  await page
    .getByLabel('Code', { exact: true })
    .locator('visible=true')
    .fill(await authenticator.nextCode());
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.locator('#factor').getByText('authenticator app').waitFor();
  console.log('enrolled an authenticator app with the QR code');

  await page.reload();
  await badge.getByText('full').waitFor();
  await page.getByRole('button', { name: 'Use the session' }).click();
  await screenshot(page, 'session');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  console.log('kept the session after a reload, and signed out');

  await signIn(page, person);
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  const code = page.getByLabel('Code', { exact: true }).locator('visible=true');
  await code.fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await message.getByText(/not right. Attempts left: \d+/).waitFor();
  await screenshot(page, 'second-factor');
  await code.fill(await authenticator.nextCode());
  await page.getByRole('button', { name: 'Continue' }).click();
  await badge.getByText('full').waitFor();
  assert.equal(await message.isVisible(), false);
  console.log('entered a wrong code for the second factor, then a right one');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

async function newJwt(name: string, enrollment: { ott: true } | { updb: string }): Promise<string> {
  const { id } = await admin.management.identities.create({ name, type: 'User', isAdmin: false, enrollment });
  created.push(id);
  const { ott, updb } = (await admin.management.identities.get(id)).enrollment;
  return (ott ?? updb)?.jwt ?? '';
}

/** Enrolls identities inside the page, with WebCrypto of the browser. */
async function enrollInPage(browser: Browser): Promise<void> {
  // The policy of the page forbids scripts that it does not serve.
  const page = await browser.newPage({ bypassCSP: true });
  await page.goto(`http://localhost:${EDGE_PAGE_PORT}/`);
  const { outputFiles } = await build({
    stdin: { contents: "export { enroll } from '@edge-controller/sdk'", resolveDir: import.meta.dirname },
    ...{ bundle: true, format: 'iife', globalName: 'sdk', platform: 'browser', conditions: ['source'], write: false },
  });
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  const [device, user] = [`page-${randomUUID()}`, `page-${randomUUID()}`];
  const [deviceJwt, userJwt] = [await newJwt(device, { ott: true }), await newJwt(user, { updb: user })];
  const [enrolled, { username }] = await page.evaluate(
    async ({ deviceJwt, userJwt, password }) => {
      const { enroll } = (globalThis as unknown as { sdk: typeof import('@edge-controller/sdk') }).sdk;
      return [await enroll(deviceJwt), await enroll(userJwt, { password })] as const;
    },
    { deviceJwt, userJwt, password: randomUUID() },
  );
  assert.equal(username, user);
  const session = await createEdgeClient(enrolled.url, { fetch: mtls(enrolled) }).signIn.certificate();
  assert.equal(session.identity.name, device);
  console.log('enrolled with a certificate and with a password inside the page');
}

const admin = createEdgeClient(url, { caFile });
await admin.signIn.password({ username, password });
const person = { username: `page-${randomUUID()}`, password: randomUUID() };
const { id } = await admin.management.identities.create({
  name: `Ada Lovelace ${person.username.slice(-4)}`,
  type: 'User',
  isAdmin: false,
  enrollment: { updb: person.username },
});
const created = [id];
const server = await servePage({ port: Number(EDGE_PAGE_PORT), controller: url });
const browser = await openBrowser(url);
try {
  const { jwt } = (await admin.management.identities.get(id)).enrollment.updb ?? {};
  await createEdgeClient(url, { caFile }).enroll({ jwt: jwt ?? '' }, { password: person.password });
  const { page, errors } = await openPage(browser);
  await drive(page, person);
  await enrollInPage(browser);
  assert.deepEqual(errors, []);
} finally {
  await browser.close();
  server.close();
  for (const one of created) await admin.management.identities.delete(one);
  await admin.signOut();
}
