import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

async function createServices(prefix: string, count: number): Promise<void> {
  const { services } = run.controller.admin.management;
  const names = Array.from({ length: count }, (_one, at) => `${prefix}-${at}`);
  await Promise.all(names.map((name) => services.create({ name, encryptionRequired: true })));
}

const countOf = async (prefix: string) => {
  const { services } = run.controller.admin.management;
  const { meta } = await services.list({ filter: `name contains "${prefix}"`, limit: 1 });
  return meta.pagination?.totalCount;
};

const selectRow = (page: Page, name: string) => page.getByLabel(`Select ${name}`).click();

it('deletes what is selected, and says what could not be deleted', async () => {
  const { identities } = run.controller.admin.management;
  await identities.create({ name: 'old device', type: 'Device', isAdmin: false });
  const page = await run.openSignedIn('entities/identities');
  await selectRow(page, 'Default Admin');
  await selectRow(page, 'old device');
  await page.getByText('2 identities selected').waitFor();
  await page.getByRole('button', { name: 'Delete …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 identities' });
  await dialog.getByText('their API sessions end').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Delete 2 identities' }).click();
  await dialog.getByText('1 done, 1 failed.').waitFor();
  await dialog.getByRole('region', { name: 'What failed' }).getByText('Default Admin').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('1 identity selected').waitFor();
  expect((await identities.list({ filter: 'name = "old device"' })).data).toEqual([]);
  expect(await page.getByRole('row', { name: 'old device' }).count()).toBe(0);
});

it('selects all that match on all pages, stops, and goes on', async () => {
  await createServices('wanted', 110);
  await createServices('other', 5);
  const page = await run.openSignedIn('entities/services?filter=name+contains+"wanted"');
  await page.getByLabel('Select the rows of this page').click();
  await page.getByText('50 services selected').waitFor();
  await page.getByRole('button', { name: 'Select all 110 that match' }).click();
  await page.getByText('110 services selected').waitFor();
  await page.getByRole('button', { name: 'Delete …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 110 services' });
  await dialog.getByText('and 105 more').waitFor();
  // The network holds requests back, so that there is something to stop.
  const network = Promise.withResolvers<void>();
  let requests = 0;
  await page.route('**/management/v1/services/*', async (route) => {
    requests += 1;
    if (requests > 20) await network.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Delete 110 services' }).click();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  network.resolve();
  await dialog.getByText(/^Stopped\. \d+ done, \d+ left\.$/).waitFor();
  expect(await countOf('wanted')).toBeGreaterThan(80);
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await dialog.getByText('110 done.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('No services match.').waitFor();
  expect(await countOf('wanted')).toBe(0);
  expect(await countOf('other')).toBe(5);
});

it('forgets the selection when other rows are shown', async () => {
  await createServices('kept', 2);
  const page = await run.openSignedIn('entities/services');
  await selectRow(page, 'kept-0');
  await page.getByText('1 service selected').waitFor();
  await page.getByLabel('Search by name').fill('kept-1');
  await page.getByText('1–1 of 1').waitFor();
  expect(await page.getByText('1 service selected').count()).toBe(0);
});

it('disables and enables many identities', async () => {
  const people = await Promise.all(['Ada', 'Bob'].map((name) => run.controller.createIdentity({ name })));
  const page = await run.openSignedIn('entities/identities');
  for (const { name } of people) await selectRow(page, name);
  await page.getByRole('button', { name: 'More …' }).click();
  await page.getByRole('menuitem', { name: 'Disable …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Disable 2 identities' });
  await dialog.getByText('0 or less: for ever. Empty: 0.').waitFor();
  await dialog.getByRole('button', { name: 'Disable 2 identities' }).click();
  await dialog.getByText('2 done.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  const { identities } = run.controller.admin.management;
  const disabled = async () => Promise.all(people.map(async ({ id }) => (await identities.get(id)).disabled));
  expect(await disabled()).toEqual([true, true]);
  await page.getByRole('button', { name: 'More …' }).click();
  await page.getByRole('menuitem', { name: 'Enable …' }).click();
  await page.getByRole('button', { name: 'Enable 2 identities' }).click();
  await page.getByText('2 done.').waitFor();
  expect(await disabled()).toEqual([false, false]);
});

it('adds role attributes to many entities, removes them, and leaves the others', async () => {
  const { identities } = run.controller.admin.management;
  const devices = await Promise.all(
    [['roof'], ['roof', 'sun'], []].map((roleAttributes, at) =>
      identities.create({ name: `lamp-${at}`, type: 'Device', isAdmin: false, roleAttributes }),
    ),
  );
  const attributes = () =>
    Promise.all(devices.map(async ({ id }) => [...((await identities.get(id)).roleAttributes ?? [])].toSorted()));
  const page = await run.openSignedIn('entities/identities?q=lamp');
  await page.getByLabel('Select the rows of this page').click();
  await page.getByRole('button', { name: 'Add role attributes …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add role attributes to 3 identities' });
  await dialog.getByText('lamp-2').waitFor();
  const submit = dialog.getByRole('button', { name: 'Add role attributes to 3 identities' });
  expect(await submit.isDisabled()).toBe(true);
  const field = dialog.getByRole('combobox', { name: 'Role attributes' });
  await field.pressSequentially('sun');
  await field.press('Enter');
  await dialog.getByRole('row', { name: 'sun' }).waitFor();
  await field.pressSequentially('night');
  await page.getByRole('option', { name: 'New attribute night' }).click();
  await expectAccessible(page);
  await submit.click();
  await dialog.getByText('3 done.').waitFor();
  expect(await attributes()).toEqual([
    ['night', 'roof', 'sun'],
    ['night', 'roof', 'sun'],
    ['night', 'sun'],
  ]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('3 identities selected').waitFor();
  await page.getByRole('button', { name: 'Remove role attributes …' }).click();
  const removal = page.getByRole('dialog', { name: 'Remove role attributes from 3 identities' });
  await removal.getByRole('combobox', { name: 'Role attributes' }).fill('roof');
  await removal.getByRole('combobox', { name: 'Role attributes' }).press('Enter');
  await removal.getByRole('button', { name: 'Remove role attributes from 3 identities' }).click();
  await removal.getByText('3 done.').waitFor();
  expect(await attributes()).toEqual([
    ['night', 'sun'],
    ['night', 'sun'],
    ['night', 'sun'],
  ]);
});
