import { afterAll, beforeAll, it } from 'vitest';
import type { ConsoleRun } from './support/open-console.ts';
import { expectAccessible, signIn, startConsole } from './support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('signs in with a password, and a reload forgets the session unless the person says so', async () => {
  const page = await run.open();
  await expectAccessible(page);
  await signIn(page, { username: 'admin', password: 'wrong password' });
  await page.getByRole('alert').getByText('User name or password are not right.').waitFor();
  await signIn(page, run.controller.adminCredentials);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.reload();
  await page.getByText('Stay signed in when this tab is loaded again').click();
  await signIn(page, run.controller.adminCredentials);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
});

it('keeps the page of a session that has ended, and goes on with it', async () => {
  const ada = await run.controller.createIdentity({ name: 'Ada' });
  const page = await run.open();
  await signIn(page, ada);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await run.controller.revokeSessions(ada);
  await page.getByRole('link', { name: 'Identities', exact: true }).click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await expectAccessible(page);
  await signIn(page, ada);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Identities' }).waitFor();
});
