import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
  const { identities } = run.controller.admin.management;
  await Promise.all(
    Array.from({ length: 120 }, (_one, at) =>
      identities.create({
        ...{ name: `sensor ${String(at).padStart(3, '0')}`, type: 'Device', isAdmin: false },
        roleAttributes: at < 10 ? ['roof', 'wind', 'rain', 'sun', 'snow', `number-${at}`] : [],
      }),
    ),
  );
});
afterAll(() => run[Symbol.asyncDispose]());

/** The names of the rows, from above. */
async function namesOf(page: Page): Promise<readonly string[]> {
  return page.getByRole('table').getByRole('rowheader').allTextContents();
}

const rangeIs = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();

it('shows pages of a list, and the address says which', async () => {
  const page = await run.openSignedIn('entities/identities?sort=name+asc&limit=25');
  await rangeIs(page, '1–25 of 121');
  await page.getByRole('button', { name: 'Next' }).click();
  await rangeIs(page, '26–50 of 121');
  await expect.poll(async () => (await namesOf(page))[0]).toBe('sensor 024');
  expect(page.url()).toContain('page=2');
  await page.goBack();
  await rangeIs(page, '1–25 of 121');
  await page.goForward();
  await rangeIs(page, '26–50 of 121');
  await page.getByRole('button', { name: /^25.*Rows/ }).click();
  await page.getByRole('option', { name: '100' }).click();
  await rangeIs(page, '1–100 of 121');
  await page.getByRole('button', { name: 'Last' }).click();
  await rangeIs(page, '101–121 of 121');
  expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
});

it('sorts by the columns that the controller can sort by', async () => {
  const page = await run.openSignedIn('entities/identities');
  const header = page.getByRole('columnheader', { name: 'Name' });
  const sortByName = header.getByRole('button');
  await header.and(page.locator('[aria-sort="ascending"]')).waitFor();
  await rangeIs(page, '1–50 of 121');
  await expect
    .poll(async () => (await namesOf(page)).slice(0, 3))
    .toEqual(['Default Admin', 'sensor 000', 'sensor 001']);
  await sortByName.click();
  await expect.poll(async () => (await namesOf(page)).slice(0, 2)).toEqual(['sensor 119', 'sensor 118']);
  expect(page.url()).toMatch(/sort=name(\+|%20)desc/);
  const sorted = await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort');
  expect(sorted).toBe('descending');
  const roles = page.getByRole('columnheader', { name: 'Role attributes' });
  expect(await roles.getByRole('button').count()).toBe(0);
});

it('finds by name, and with a filter whose error stands at its field', async () => {
  const page = await run.openSignedIn('entities/identities');
  await page.getByLabel('Search by name').fill('SENSOR 11');
  await rangeIs(page, '1–10 of 10');
  await page.getByRole('button', { name: 'Filter' }).click();
  const filter = page.getByRole('combobox', { name: 'Filter' });
  await filter.pressSequentially('nam');
  await page.getByRole('option', { name: 'name' }).click();
  expect(await filter.inputValue()).toBe('name ');
  await filter.fill('name = "sensor 117" or nme = 1');
  await filter.press('Enter');
  await page.getByText('Unknown symbol nme.').waitFor();
  expect(await filter.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await filter.fill('name = "sensor 117" or name = "sensor 003"');
  await page.getByRole('button', { name: 'Apply' }).click();
  await rangeIs(page, '1–1 of 1');
  await page.getByLabel('Search by name').fill('nothing "like\\ this');
  await page.getByText('No identities match.').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await rangeIs(page, '1–50 of 121');
});

it('shows values as people read them, and the columns that somebody chose', async () => {
  const page = await run.openSignedIn('entities/identities?filter=name+%3D+"sensor 003"');
  const row = page.getByRole('row', { name: 'sensor 003' });
  await row.getByText('+2').waitFor();
  await row.getByRole('link', { name: 'Default' }).first().waitFor();
  expect(await row.locator('time').getAttribute('title')).toMatch(/Z$/);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Type' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'ID', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader', { name: 'ID', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Services', exact: true }).click();
  await page.getByText('There are no services.').waitFor();
  await page.getByRole('link', { name: 'Identities', exact: true }).click();
  await page.getByRole('columnheader', { name: 'ID', exact: true }).waitFor();
  expect(await page.getByRole('columnheader', { name: 'Type' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitem', { name: 'Usual columns' }).click();
  await page.getByRole('columnheader', { name: 'Type' }).waitFor();
  await page.getByLabel('Search by name').fill('sensor 003');
  await page.getByRole('link', { name: 'sensor 003' }).click();
  await page.getByRole('heading', { name: 'sensor 003' }).waitFor();
});

it('has a page for every list of the Management API', async () => {
  const page = await run.openSignedIn('entities/identities');
  const navigation = page.getByRole('navigation', { name: 'Pages', exact: true });
  await navigation.getByRole('link', { name: 'Identities', exact: true }).waitFor();
  const lists = await navigation.locator('a[href*="/entities/"]').allTextContents();
  for (const list of lists) {
    await navigation.getByRole('link', { name: list, exact: true }).click();
    await page.getByRole('heading', { name: list, exact: true }).waitFor();
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  expect(lists.length).toBeGreaterThan(20);
});

it('is accessible in light and dark, and fits a telephone', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await run.openSignedIn('entities/identities', { colorScheme, viewport: { width: 360, height: 740 } });
    await rangeIs(page, '1–50 of 121');
    await page.getByRole('table').getByRole('checkbox').nth(1).click();
    await page.getByText('1 identity selected').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  }
});

it('says that there is no such list', async () => {
  const page = await run.openSignedIn('entities/nothing');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
});
