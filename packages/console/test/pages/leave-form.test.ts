import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, pressIfThere, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('asks before a link, the way back, Cancel or a reload loses what was typed', async () => {
  const page = await run.openSignedIn('entities/services');
  await page.getByRole('link', { name: 'Create' }).click();
  const name = page.getByLabel('Name', { exact: true });
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await name.fill('web');

  await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click();
  await question.waitFor();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });

  await page.evaluate('history.back()');
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('web');

  const asked = page.waitForEvent('dialog');
  void page.evaluate('location.reload()').catch(() => null);
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  expect(await name.inputValue()).toBe('web');

  await page.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Services', exact: true }).waitFor();
  expect(await question.count()).toBe(0);
});

it('asks nothing after a form was saved, and when nothing was typed', async () => {
  const page = await run.openSignedIn('entities/services/new');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Create' }).click();
  await page.getByLabel('Name', { exact: true }).fill('files');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'files' }).waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('files-2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'files-2' }).waitFor();
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'Services', exact: true }).waitFor();
});

it('leaves a form that was edited by the way back, and keeps one whose session ends', async () => {
  const ada = await run.controller.createIdentity({ name: 'Ada', isAdmin: true });
  const { id } = await run.controller.admin.management.services.create({ name: 'mail', encryptionRequired: true });
  const page = await run.open('entities/services');
  await signIn(page, ada);
  await page.getByRole('link', { name: 'mail' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('mail-2');
  await run.controller.revokeSessions(ada);
  await pressIfThere(page, 'Save');
  await signIn(page.getByRole('dialog', { name: 'Your session has ended' }), ada);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('mail-2');
  await page.goBack();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Services', exact: true }).waitFor();
  expect(await run.controller.admin.management.services.get(id)).toMatchObject({ name: 'mail' });
});
