import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

const entry = (page: Page, number: number) => page.getByRole('group', { name: `Entry ${number}`, exact: true });

async function newCheck(kind: string, name: string): Promise<Page> {
  const page = await run.openSignedIn('entities/postureChecks/new');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await choose(page, 0, kind);
  return page;
}

/** Chooses in the select of the form (0), or of an entry. */
async function choose(page: Page, number: number, option: string): Promise<void> {
  const place = number === 0 ? page : entry(page, number);
  await place.getByRole('button', { name: /type/i }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function addText(page: Page, number: number, field: string, text: string): Promise<void> {
  const box = entry(page, number).getByRole('combobox', { name: field });
  await box.pressSequentially(text);
  await box.press('Enter');
  await entry(page, number).getByRole('row', { name: text }).waitFor();
}

it('has a form for each object of a list, which can be added and removed', async () => {
  const page = await newCheck('OS', 'new systems');
  const add = page.getByRole('button', { name: 'Add an entry to Operating systems' });
  await add.click();
  await add.click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('alert').getByRole('link', { name: 'Operating systems 2 type' }).click();
  await entry(page, 2).getByRole('button', { name: /type/i }).and(page.locator(':focus')).waitFor();
  await entry(page, 2).getByText('This is required.').waitFor();
  await choose(page, 1, 'Windows');
  await choose(page, 2, 'Linux');
  await addText(page, 2, 'Versions', '>=6.0.0');
  await page.getByRole('button', { name: 'Remove entry 1 of Operating systems' }).click();
  await add.and(page.locator(':focus')).waitFor();
  await entry(page, 2).waitFor({ state: 'detached' });
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'new systems' }).waitFor();
  await page.getByRole('table', { name: 'Operating systems' }).getByText('>=6.0.0').waitFor();
  const { postureChecks } = run.controller.admin.management;
  const { data } = await postureChecks.list({ filter: 'name = "new systems"' });
  expect(data[0]).toMatchObject({ operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] });
});

it('shows what the controller refuses in an object at its member, and changes what is there', async () => {
  const page = await newCheck('PROCESS_MULTI', 'scanners');
  await page.getByRole('button', { name: /Semantic/ }).click();
  await page.getByRole('option', { name: 'AnyOf' }).click();
  await page.getByRole('button', { name: 'Add an entry to Processes' }).click();
  await choose(page, 1, 'Windows');
  const path = entry(page, 1).getByLabel('Path');
  await path.fill('a'.repeat(2_001));
  await addText(page, 1, 'Hashes', 'ab12');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await entry(page, 1).getByText('should be at most 2000 chars long').waitFor();
  await path.and(page.locator(':focus')).waitFor();
  expect(await path.getAttribute('aria-invalid')).toBe('true');
  await path.fill('C:/scan.exe');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'scanners' }).waitFor();

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await path.fill('C:/scan-2.exe');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  const { data } = await run.controller.admin.management.postureChecks.list({ filter: 'name = "scanners"' });
  expect(data[0]).toMatchObject({
    processes: [{ osType: 'Windows', path: 'C:/scan-2.exe', hashes: ['ab12'] }],
  });
});

it('is made for the lists of a JSON schema, too', async () => {
  const page = await run.openSignedIn('entities/configs/new');
  await page.getByLabel('Name', { exact: true }).fill('web');
  await page.getByRole('combobox', { name: 'Config type ID' }).fill('intercept.v1');
  await page.getByRole('option', { name: 'intercept.v1', exact: true }).click();
  for (const [field, text] of Object.entries({ Protocols: 'tcp', Addresses: 'wiki.example' })) {
    const box = page.getByRole('combobox', { name: new RegExp(`^${field}`) });
    await box.pressSequentially(text);
    await box.press('Enter');
    await page.getByRole('row', { name: text }).waitFor();
  }
  await page.getByRole('button', { name: 'Add an entry to Port ranges' }).click();
  await entry(page, 1).getByLabel('Low').fill('80');
  await entry(page, 1).getByLabel('High').fill('70000');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await entry(page, 1).getByLabel('High').and(page.locator(':focus')).waitFor();
  await entry(page, 1).getByLabel('High').fill('443');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'web' }).waitFor();
  const { data } = await run.controller.admin.management.configs.list({ filter: 'name = "web"' });
  expect(data[0]?.data).toMatchObject({ portRanges: [{ low: 80, high: 443 }] });
});
