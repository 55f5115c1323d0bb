import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('names each page, and moves the focus to its heading', async () => {
  await run.controller.createIdentity({ name: 'Carol' });
  const page = await run.openSignedIn();
  const isAt = async (title: string, heading: string) => {
    await expect.poll(() => page.title()).toBe(title);
    await page.getByRole('heading', { name: heading, exact: true }).and(page.locator(':focus')).waitFor();
  };
  await isAt('Dashboard – Edge Controller', 'Dashboard');
  const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
  await menu.getByRole('link', { name: 'Identities', exact: true }).focus();
  await page.keyboard.press('Enter');
  await isAt('Identities – Edge Controller', 'Identities');
  await page.getByRole('link', { name: 'Carol' }).focus();
  await page.keyboard.press('Enter');
  await isAt('Carol – Identities – Edge Controller', 'Carol');
  await menu.getByRole('link', { name: 'Services', exact: true }).click();
  await isAt('Services – Edge Controller', 'Services');
  await page.getByRole('link', { name: 'Create' }).click();
  await isAt('New service – Services – Edge Controller', 'New service');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Default Admin', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await isAt('Your account – Edge Controller', 'Your account');
  await page.goBack();
  await isAt('New service – Services – Edge Controller', 'New service');
  await page.getByRole('button', { name: 'Default Admin', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('User name').waitFor();
  expect(await page.title()).toBe('Edge Controller');
});

it('leads to the search field with a slash, and leaves a slash in a text', async () => {
  const page = await run.openSignedIn('entities/identities');
  const search = page.getByLabel('Search by name');
  await search.waitFor();
  const isFocused = () => search.and(page.locator(':focus')).isVisible();
  expect(await isFocused()).toBe(false);
  await page.keyboard.press('/');
  expect(await isFocused()).toBe(true);
  await page.keyboard.type('a/b');
  expect(await search.inputValue()).toBe('a/b');
  await page.getByRole('button', { name: 'Filter' }).click();
  const filter = page.getByRole('combobox', { name: 'Filter' });
  await filter.pressSequentially('a/');
  expect(await filter.inputValue()).toBe('a/');
  expect(await isFocused()).toBe(false);
});

it('has a header of one line in a narrow window, and a menu that Escape closes', async () => {
  const page = await run.openSignedIn('', { viewport: { width: 360, height: 740 } });
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.getByRole('banner').getByRole('link', { name: 'Edge Controller' }).waitFor();
  expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThanOrEqual(50);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  const button = page.getByRole('button', { name: 'Menu', exact: true });
  const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
  await button.click();
  await menu.getByRole('link', { name: 'Identities', exact: true }).focus();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  await button.and(page.locator(':focus')).waitFor();
});

it.each([2560, 3840])(
  'keeps text and cards readable on a screen of %i pixels, and gives tables the width',
  async (width) => {
    const page = await run.openSignedIn('', { viewport: { width, height: 1440 } });
    const widthsOf = (selector: string) =>
      page.evaluate<number[]>(`[...document.querySelectorAll('${selector}')].map(({ clientWidth }) => clientWidth)`);
    await page.getByText('Healthy').waitFor();
    expect(Math.max(...(await widthsOf('main *')))).toBeLessThanOrEqual(1600);
    expect(await page.evaluate('parseFloat(getComputedStyle(document.body).fontSize)')).toBeGreaterThanOrEqual(18);
    const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
    await menu.getByRole('link', { name: 'Identities', exact: true }).click();
    const admin = page.getByRole('rowheader').getByRole('link', { name: 'Default Admin' });
    await admin.waitFor();
    expect(Math.max(...(await widthsOf('main input, main p')))).toBeLessThanOrEqual(1600);
    expect(Math.max(...(await widthsOf('main table')))).toBeGreaterThan(1600);
    await admin.click();
    await page.getByRole('region', { name: 'Fields' }).waitFor();
    expect(Math.max(...(await widthsOf('main .card')))).toBeLessThanOrEqual(1600);
  },
);

it('has check boxes of one size, in lists and in forms', async () => {
  const page = await run.openSignedIn('access');
  // Its styles were once those of the boxes of other pages, too.
  await page.getByRole('heading', { name: 'Who may dial' }).waitFor();
  const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
  const sizeOf = async (name: string) => {
    const { width, height } = (await page.getByRole('checkbox', { name }).boundingBox()) ?? {};
    return [width, height];
  };
  await menu.getByRole('link', { name: 'Your account', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Sign out everywhere else' }).waitFor({ state: 'attached' });
  expect(await sizeOf('Sign out everywhere else')).toEqual([18, 18]);
  await menu.getByRole('link', { name: 'Identities', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Select the rows of this page' }).waitFor();
  expect(await sizeOf('Select the rows of this page')).toEqual([18, 18]);
});

it('asks about one entity in a dialog as narrow as that about many', async () => {
  const { id } = await run.controller.createIdentity({ name: 'Dora' });
  const page = await run.openSignedIn(`entities/identities/${id}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  expect((await page.getByRole('dialog').boundingBox())?.width).toBeLessThanOrEqual(560);
});
