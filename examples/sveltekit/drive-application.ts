import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createEdgeClient } from '@edge-controller/sdk/node';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser, openPage } from '../browser-sign-in/open-browser.ts';
import type { Person } from '../react/with-person.ts';
import { withPerson } from '../react/with-person.ts';
import { createAuthenticator } from '../totp/authenticator.ts';

const {
  EDGE_URL: url = 'https://localhost:1280',
  EDGE_CA: caFile = fileURLToPath(new URL('../../.edge-controller/pki/ca.pem', import.meta.url)),
  EDGE_ADMIN_USERNAME: username = '',
  EDGE_ADMIN_PASSWORD: password = '',
} = process.env;

/** The settings of the application. Node reads the CA before the application starts. */
export const applicationEnv = { EDGE_URL: url, EDGE_CA: caFile, SESSION_SECRET: crypto.randomUUID() };

const admin = createEdgeClient(url, { caFile });

/** The tokens of the API sessions of a person, which no page may see. */
async function tokensOf(person: Person): Promise<string[]> {
  const { data } = await admin.management.apiSessions.list();
  return data.filter(({ identity }) => identity.name === person.username).map(({ token }) => token);
}

async function signIn(page: Page, person: Person): Promise<void> {
  await page.getByLabel('User name').fill(person.username);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const isSignedIn = (page: Page) => page.getByRole('heading', { name: 'Signed in' }).waitFor();
const isSignedOut = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor();

/** All that a page can read: its document, its storages and cookies, and the responses that it got. */
async function readableIn(page: Page, bodies: readonly Promise<string>[]): Promise<string> {
  const texts = await page.evaluate(() => [
    document.documentElement.outerHTML,
    document.cookie,
    JSON.stringify(localStorage) + JSON.stringify(sessionStorage),
  ]);
  return [...texts, ...(await Promise.all(bodies))].join('\n');
}

/** Collects the responses that a page gets, with their headers. */
function recordResponses(page: Page): Promise<string>[] {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    // Nobody but the browser reads the response that redirects.
    bodies.push(response.text().catch(() => ''));
    const { 'set-cookie': _hidden, ...headers } = response.headers();
    bodies.push(Promise.resolve(JSON.stringify(headers)));
  });
  return bodies;
}

async function driveForms(page: Page, address: string, person: Person): Promise<void> {
  const alert = page.getByRole('alert');
  await page.goto(address);
  await signIn(page, { ...person, password: 'not the password' });
  await alert.getByText('User name or password are not right.').waitFor();
  await signIn(page, person);
  await isSignedIn(page);
  await page.getByRole('link').click();
  await page.getByRole('heading', { name: `Account of ${person.username}` }).waitFor();
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await isSignedOut(page);
  assert.deepEqual([await tokensOf(person), await page.context().cookies()], [[], []]);
  await page.goto(`${address}account`);
  await isSignedOut(page);
  console.log('signed in with a plain form, showed a page that the server has rendered, and signed out');

  const edge = createEdgeClient(url, { caFile });
  await edge.signIn.password(person);
  const { secret, verify } = await edge.mfa.enroll();
  const authenticator = createAuthenticator(secret);
  await verify(await authenticator.nextCode());
  await edge.signOut();
  await signIn(page, person);
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  await page.goto(`${address}account`);
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await alert.getByText(/not right. Attempts left: \d+/).waitFor();
  await page.getByLabel('Code').fill(await authenticator.nextCode());
  await page.getByRole('button', { name: 'Continue' }).click();
  await isSignedIn(page);
  console.log('entered a wrong code for the second factor in a plain form, then a right one');
}

/** The client in the page works through the server, and nothing that it can read has the token. */
async function driveClient(context: BrowserContext, address: string, person: Person, other: Person): Promise<void> {
  const { page, errors } = await openPage(context);
  const bodies = recordResponses(page);
  await page.goto(address);
  await signIn(page, person);
  await isSignedIn(page);
  await page.getByRole('link').click();
  await page.locator('#state').getByText('active').waitFor();
  await page.locator('#identity').getByText(/\S/).waitFor();
  const tokens = await tokensOf(person);
  assert.equal(tokens.length, 1);
  const readable = await readableIn(page, bodies);
  assert.match(readable, /edge-session-handle=cookie\./);
  for (const token of tokens) assert.ok(!readable.includes(token), 'the page can read the token');
  const cookies = await context.cookies();
  assert.deepEqual(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]).sort(), [
    ['edge-session', true, 'Lax'],
    ['edge-session-handle', false, 'Lax'],
  ]);
  assert.ok(!JSON.stringify(cookies).includes(tokens[0] ?? ''));
  console.log('the client in the page uses the session; the page cannot read the token');

  await attack(context, address, other);
  await page.reload();
  await page.getByRole('heading', { name: `Account of ${person.username}` }).waitFor();
  await page.locator('#state').getByText('active').waitFor();
  console.log('forms of another site change nothing');

  const { page: tab } = await openPage(context);
  await tab.goto(page.url());
  await tab.locator('#state').getByText('active').waitFor();
  await page.getByRole('button', { name: 'Sign out here' }).click();
  await isSignedOut(page);
  await tab.locator('#state').getByText('signed-out').waitFor();
  assert.deepEqual([await tokensOf(person), await context.cookies()], [[], []]);
  assert.deepEqual(errors, []);
  console.log('signed out with the client in the page: in its other tabs, and on the server');
}

/** Another site sends forms and requests to the application, with the browser of the person and the password of somebody else. */
async function attack(context: BrowserContext, address: string, attacker: Person): Promise<void> {
  const paths = ['?/signOut', 'sign-out', '?/signIn', 'sign-in'];
  const inputs = `<input name="username" value="${attacker.username}"><input name="password" value="${attacker.password}">`;
  const forms = paths.map(
    (path, at) =>
      `<form method="post" action="${address}${path}" target="frame-${at}">${inputs}</form><iframe name="frame-${at}"></iframe>`,
  );
  const session = `${address}edge/client/v1/current-api-session`;
  const script = `for (const form of document.forms) form.submit();
    const send = (method, more) => fetch('${session}', { method, credentials: 'include', ...more }).catch(() => 0);
    send('DELETE', { headers: { 'svc-session': 'cookie.x' } });
    send('POST', { mode: 'no-cors' });`;
  const site = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(`${forms.join('')}<script>${script}</script>`),
  ).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const page = await context.newPage();
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'POST') statuses.push(response.status());
  });
  const before = await context.cookies();
  try {
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`, { waitUntil: 'networkidle' });
  } finally {
    await page.close();
    site.close();
  }
  assert.ok(statuses.includes(403), `no form was refused: ${statuses}`);
  assert.deepEqual(await context.cookies(), before);
}

/** Tests an application in Chromium. Its pages are those of the examples `sveltekit` and `next`. */
export async function driveApplication(address: string): Promise<void> {
  await admin.signIn.password({ username, password });
  const browser: Browser = await openBrowser(url);
  try {
    await withPerson(admin, async (person) => {
      const withoutScripts = await browser.newContext({ javaScriptEnabled: false });
      const { page } = await openPage(withoutScripts);
      await driveForms(page, address, person);
    });
    await withPerson(admin, (person) =>
      withPerson(admin, async (other) => driveClient(await browser.newContext(), address, person, other)),
    );
  } finally {
    await browser.close();
    await admin.signOut();
  }
}
