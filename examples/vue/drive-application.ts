import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { EdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient } from '@edge-controller/sdk/node';
import type { Page } from 'playwright-core';
import { createServer } from 'vite';
import { openBrowser, openPage } from '../browser-sign-in/open-browser.ts';
import type { Person } from '../react/with-person.ts';
import { withPerson } from '../react/with-person.ts';

const {
  EDGE_URL: url = 'https://localhost:1280',
  EDGE_PAGE_PORT = '5180',
  EDGE_CA: caFile = fileURLToPath(new URL('../../.edge-controller/pki/ca.pem', import.meta.url)),
  EDGE_ADMIN_USERNAME: username = '',
  EDGE_ADMIN_PASSWORD: password = '',
} = process.env;

async function signIn(page: Page, person: Person): Promise<void> {
  await page.getByLabel('User name').fill(person.username);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function useApplication(page: Page, person: Person, admin: EdgeClient): Promise<void> {
  const account = page.getByRole('heading', { name: `Signed in as ${person.username}` });
  const form = page.getByRole('heading', { name: 'Sign in', exact: true });
  await page.goto(`http://localhost:${EDGE_PAGE_PORT}/`);
  await signIn(page, { ...person, password: 'not the password' });
  await page.getByRole('alert').getByText('User name or password are not right.').waitFor();
  await signIn(page, person);
  await account.waitFor();
  assert.ok(Date.parse((await page.locator('time').getAttribute('datetime')) ?? '') > Date.now());
  console.log('signed in with a password; the page shows the session and its end');

  await page.reload();
  await account.waitFor();
  const { apiSessions } = admin.management;
  for await (const { id, identity } of admin.pages(apiSessions.list)) {
    if (identity.name === person.username) await apiSessions.delete(id);
  }
  await page.getByRole('button', { name: 'Use the session' }).click();
  await page.getByText('Your session has ended.').waitFor();
  console.log('kept the session after a reload, and told its end');

  await signIn(page, person);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await form.waitFor();
  assert.equal(await page.getByText('Your session has ended.').count(), 0);
  console.log('signed out');
}

/** Serves the application in `folder`, and uses it as a person does. */
export async function drive(folder: string): Promise<void> {
  const admin = createEdgeClient(url, { caFile });
  await admin.signIn.password({ username, password });
  const server = await createServer({ root: folder, logLevel: 'warn' });
  await server.listen();
  const browser = await openBrowser(url);
  try {
    const { page, errors } = await openPage(browser);
    await withPerson(admin, (person) => useApplication(page, person, admin));
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    await server.close();
    await admin.signOut();
  }
}
