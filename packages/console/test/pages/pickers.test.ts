import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
  const { identities } = run.controller.admin.management;
  await run.controller.createIdentity({ name: 'Ada' });
  await run.controller.createIdentity({ name: 'Adam', roleAttributes: ['sales'] });
  await Promise.all(
    Array.from({ length: 23 }, (_, at) => identities.create({ name: `sensor-${at}`, type: 'Device', isAdmin: false })),
  );
});
afterAll(() => run[Symbol.asyncDispose]());

const picker = (page: Page | Locator, name: string) => page.getByRole('combobox', { name, exact: true });
const chosen = (page: Page, name: string) => page.getByRole('grid', { name: `${name}: chosen` }).getByRole('row');
const see = (page: Page, name: string, value: string) => chosen(page, name).filter({ hasText: value }).waitFor();

it('takes the best match as a role, and a new attribute only when somebody asks for it', async () => {
  const page = await run.openSignedIn('entities/servicePolicies/new');
  const roles = picker(page, 'Identity roles');
  await roles.pressSequentially('Ada');
  await roles.press('Enter');
  await see(page, 'Identity roles', '@Ada');

  await roles.pressSequentially('sales');
  await page.getByRole('option', { name: '#sales' }).getByText('role attribute').waitFor();
  await roles.press('Enter');
  await see(page, 'Identity roles', '#sales');

  await roles.pressSequentially('Joan');
  await page.getByRole('option', { name: 'New attribute #Joan' }).waitFor();
  await roles.press('Enter');
  await roles.press('Tab');
  await page.getByText('“Joan” is not chosen. Choose an entry of the list.').waitFor();
  expect(await roles.getAttribute('aria-invalid')).toBe('true');
  expect(await chosen(page, 'Identity roles').count()).toBe(2);
  await page.keyboard.press('Escape');
  await expectAccessible(page);
  await roles.click();
  await roles.press('ArrowDown');
  await roles.press('Enter');
  await see(page, 'Identity roles', '#Joan');
});

it('offers all only to who looks for it, and says so', async () => {
  const page = await run.openSignedIn('entities/servicePolicies/new');
  await picker(page, 'Identity roles').click();
  await page.getByRole('option', { name: '#all' }).getByText('every identity').waitFor();
  await picker(page, 'Identity roles').pressSequentially('Ada');
  await page.getByRole('option', { name: 'New attribute #Ada' }).waitFor();
  expect(await page.getByRole('option').locator('[slot=label]').allInnerTexts()).toEqual([
    ...['@Ada', '@Adam'],
    'New attribute #Ada',
  ]);
  await picker(page, 'Identity roles').press('Escape');
  const services = picker(page, 'Service roles');
  await services.pressSequentially('al');
  await page.getByRole('option', { name: '#all' }).getByText('every service').waitFor();
  await services.press('Enter');
  await see(page, 'Service roles', '#all');
});

it('opens a picker with a click or Tab, as wide as its field, and says how many others there are', async () => {
  const page = await run.openSignedIn('access');
  const identity = picker(page, 'Identity');
  await identity.click();
  const list = page.getByRole('listbox', { name: 'Identity' });
  await list.waitFor();
  await page.getByText('20 of 26: type more').waitFor();
  const [field, popover] = await Promise.all([identity.boundingBox(), page.locator('.popover').boundingBox()]);
  expect(Math.abs((field?.width ?? 0) - (popover?.width ?? 0))).toBeLessThan(2);
  await identity.press('Escape');
  await list.waitFor({ state: 'detached' });
  // The first match before the controller has answered.
  await identity.pressSequentially('sensor-22');
  await identity.press('Enter');
  await page.waitForURL(/identity=/);
  expect(await identity.inputValue()).toBe('sensor-22');
  await identity.press('Tab');
  await page.getByRole('listbox', { name: 'Service' }).waitFor();
});

it('says how many entities the roles of a policy select, and asks once for each change', async () => {
  const page = await run.openSignedIn('entities/servicePolicies/new');
  const asked: string[] = [];
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url());
    if (searchParams.has('roleFilter')) asked.push(searchParams.getAll('roleFilter').join());
  });
  const roles = picker(page, 'Identity roles');
  const add = async (role: string) => {
    await roles.pressSequentially(role);
    await page.getByRole('option', { name: role, exact: true }).waitFor();
    await roles.press('Enter');
    await see(page, 'Identity roles', role);
  };
  const matches = (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
  await add('#sales');
  await matches('Matches 1 identity.');
  await add('@Ada');
  await matches('Matches 2 identities.');
  expect(asked).toHaveLength(2);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await add('#all');
  const { meta } = await run.controller.admin.management.identities.list({ limit: 1 });
  await matches(`Matches ${meta.pagination?.totalCount} identities.`);
  expect(asked).toHaveLength(2);
});

it('closes a list in a dialog with Escape, and not the dialog', async () => {
  const { id } = await run.controller.createIdentity({ name: 'Grace' });
  const page = await run.openSignedIn(`entities/identities/${id}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Assign service configs' }).click();
  await page.getByRole('combobox', { name: /^Service ID/ }).click();
  const list = page.getByRole('listbox', { name: /Service ID/ });
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});
