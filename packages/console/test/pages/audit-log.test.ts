import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventLabels } from '../../src/pages/audit-log/event-labels.ts';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('has a label for each event that the log may have', async () => {
  const events = await readFile(join(import.meta.dirname, '../../../../docs/events.md'), 'utf8');
  // An event with details of an entry.
  const names = [...events.matchAll(/^\| `([\w.]+)` \| `.*?` \| `/gm)].map(([, name]) => name);
  expect(Object.keys(eventLabels)).toEqual(names);
});

it('finds what an identity did and what concerns it, and keeps that in the address', async () => {
  const grace = await run.controller.createIdentity({ name: 'Grace' });
  const wrong = { username: grace.username, password: 'wrong password' };
  await expect(run.controller.client().signIn.password(wrong)).rejects.toThrow();
  const page = await run.openSignedIn('audit-log');
  const entries = page.getByRole('table', { name: 'Entries' });
  await entries.getByText('wrong password').waitFor();
  await page.getByRole('combobox', { name: 'Identity', exact: true }).fill('Grace');
  await page.getByRole('option', { name: 'Grace', exact: true }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  // Only the administrator has signed in.
  await expect.poll(() => entries.getByRole('row').filter({ hasText: 'Signed in' }).count()).toBe(0);
  await entries.getByText('wrong password').waitFor();
  await grace.signIn();
  await page.reload();
  await signIn(page, run.controller.adminCredentials);
  await expect.poll(() => page.getByRole('combobox', { name: 'Identity', exact: true }).inputValue()).toBe('Grace');
  await entries.getByRole('row').filter({ hasText: 'Signed in' }).first().waitFor();
  await entries.getByText('wrong password').waitFor();
});

it('shows what was before and after a change, and filters by fields and by an expression', async () => {
  const { management } = run.controller.admin;
  const { id } = await run.controller.createService({ name: 'wiki' });
  await management.services.patch(id, { name: 'handbook' });
  const page = await run.openSignedIn('audit-log');
  const entries = page.getByRole('table', { name: 'Entries' });
  await entries.getByRole('link', { name: 'Service handbook' }).waitFor();

  await page.getByRole('combobox', { name: 'Identity', exact: true }).fill('default');
  await page.getByRole('option', { name: 'Default Admin' }).click();
  const expression = page.getByLabel('Filter expression');
  await expect.poll(() => expression.inputValue()).toMatch(/^\(identityId = "([\w.-]+)" or entityId = "\1"\)$/);
  await page.getByRole('combobox', { name: 'Identity', exact: true }).fill('');
  await page.getByLabel('Id of the entity').fill(id);
  await expect.poll(() => expression.inputValue()).toBe(`entityId = "${id}"`);
  await expression.fill(`entityId = "${id}" and event = "entity.updated"`);
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => entries.getByRole('button', { name: /^Open entry/ }).count()).toBe(1);
  await entries.getByRole('button', { name: /^Open entry/ }).click();
  const change = page.getByRole('table', { name: 'Difference' });
  await change.getByRole('row', { name: 'Name wiki handbook' }).waitFor();
  await expectAccessible(page);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await expectAccessible(page);

  await page.getByLabel('Filter expression').fill('nonsense = 1');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByLabel('Filter expression').and(page.locator('[aria-invalid="true"]')).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await entries.getByText('Controller started').first().waitFor();
});

it('shows the filter of its address in its fields', async () => {
  const { management } = run.controller.admin;
  const { id } = await management.identities.create({ name: 'Ada', type: 'User', isAdmin: false });
  const filter = `outcome = "success" and entityId = "${id}" and createdAt >= datetime(2026-01-02T15:04:05.000Z)`;
  const page = await run.openSignedIn(`audit-log?filter=${encodeURIComponent(filter)}`, { timezoneId: 'Asia/Tokyo' });
  await page.getByRole('table', { name: 'Entries' }).getByRole('link', { name: 'Identity Ada' }).waitFor();
  await page.getByRole('button', { name: 'Outcome' }).getByText('Done').waitFor();
  expect(await page.getByLabel('Id of the entity').inputValue()).toBe(id);
  expect(await page.getByLabel('From').inputValue()).toBe('2026-01-03T00:04:05');
  const expression = page.getByLabel('Filter expression');
  expect(await expression.inputValue()).toBe(filter);
  await page.getByLabel('From').fill('');
  expect(await expression.inputValue()).toBe(`outcome = "success" and entityId = "${id}"`);

  const either = `(identityId = "${id}" or entityId = "${id}")`;
  await page.getByRole('table', { name: 'Entries' }).getByRole('link', { name: 'Identity Ada' }).click();
  await page.getByRole('main').getByRole('link', { name: 'What Ada has done' }).click();
  await page.getByRole('table', { name: 'Entries' }).waitFor();
  expect(await expression.inputValue()).toBe(either);
  await expect.poll(() => page.getByRole('combobox', { name: 'Identity', exact: true }).inputValue()).toBe('Ada');
  expect(await page.getByLabel('Id of the entity').inputValue()).toBe('');
});

it('pages to older entries, follows new ones, and saves what is filtered', async () => {
  const { management } = run.controller.admin;
  for (let count = 0; count < 60; count++)
    await management.identities.create({ name: `n-${count}`, type: 'User', isAdmin: false });
  const page = await run.openSignedIn(
    'audit-log?filter=event%20%3D%20%22entity.created%22%20or%20event%20%3D%20%22entity.updated%22',
  );
  const entries = page.getByRole('table', { name: 'Entries' });
  await entries.getByRole('link', { name: 'Identity n-59' }).waitFor();
  await page.getByRole('button', { name: 'Older' }).click();
  await entries.getByRole('link', { name: 'Identity n-1', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Newer' }).click();
  await entries.getByRole('link', { name: 'Identity n-59' }).waitFor();

  await page.getByRole('button', { name: 'Follow' }).click();
  await management.identities.create({ name: 'newcomer', type: 'User', isAdmin: false });
  await entries.getByRole('link', { name: 'Identity newcomer' }).waitFor();

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('audit-log.jsonl');
  await page.getByText(/^\d+ entries saved\.$/).waitFor();
  const lines = (await readFile(await file.path(), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines.length).toBeGreaterThan(60);
  expect(lines.at(-1)).toMatchObject({ event: 'entity.created', details: { after: { name: 'newcomer' } } });
});
