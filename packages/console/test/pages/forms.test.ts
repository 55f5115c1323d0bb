import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, pressIfThere, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

async function expectInView(page: Page, control: Locator): Promise<void> {
  await control.and(page.locator(':focus')).waitFor();
  const box = await control.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(page.viewportSize()?.height ?? 0);
}

it('creates an entity: the error of the API stands at its field, and nothing that was typed is lost', async () => {
  const { management } = run.controller.admin;
  await management.identities.create({ name: 'sensor-1', type: 'Device', isAdmin: false, roleAttributes: ['sensors'] });
  const page = await run.openSignedIn('entities/identities/new');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  expect(await page.getByText('This is required.').count()).toBe(2);
  await expectInView(page, page.getByLabel('Name', { exact: true }));
  await page.getByRole('alert').getByRole('link', { name: 'Type' }).click();
  await expectInView(page, page.getByRole('button', { name: /Type/ }));
  await page.getByLabel('Name', { exact: true }).fill('sensor-1');
  await page.getByRole('button', { name: /Type/ }).click();
  await page.getByRole('option', { name: 'Device' }).click();
  const attributes = page.getByRole('combobox', { name: 'Role attributes' });
  await attributes.fill('sens');
  await page.getByRole('option', { name: 'sensors' }).click();
  await attributes.fill('roof');
  await attributes.press('Enter');
  await page.getByRole('button', { name: 'Add a row to Tags' }).click();
  await page.getByRole('group', { name: 'Tags' }).getByLabel('Key 1').fill('floor');
  await page.getByRole('group', { name: 'Tags' }).getByLabel('Value 1').fill('7');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const name = page.getByLabel('Name', { exact: true });
  await page.getByText('Some fields are not right.').waitFor();
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  await page.getByText('This name is taken.', { exact: true }).waitFor();
  expect(await page.getByText('COULD_NOT_VALIDATE').count()).toBe(0);
  await expectInView(page, name);
  await name.fill('sensor-2');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'sensor-2' }).waitFor();
  await page.getByRole('status').getByText('Identity sensor-2 created.').waitFor();
  const { data } = await management.identities.list({ filter: 'name = "sensor-2"' });
  expect(data[0]).toMatchObject({ roleAttributes: ['roof', 'sensors'], tags: { floor: 7 }, isAdmin: false });
});

it('sends what was changed, and keeps the form of a session that has ended', async () => {
  const { management } = run.controller.admin;
  const grace = await run.controller.createIdentity({ name: 'Grace', isAdmin: true });
  const { id } = await management.authPolicies.create({
    name: 'short',
    primary: {
      cert: { allowed: true, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: {
        ...{ allowed: true, minPasswordLength: 9, maxAttempts: 3, lockoutDurationMinutes: 0 },
        ...{ requireMixedCase: false, requireNumberChar: false, requireSpecialChar: false },
      },
    },
    secondary: { requireTotp: false },
  });
  const page = await run.open(`entities/authPolicies/${id}`);
  await signIn(page, grace);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const length = page.getByLabel('Min password length');
  await length.fill('many');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter a whole number.').waitFor();
  await length.fill('12');
  await run.controller.revokeSessions(grace);
  await pressIfThere(page, 'Save');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('User name').fill(grace.username);
  await dialog.getByLabel('Password').fill(grace.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await length.inputValue()).toBe('12');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  expect(await management.authPolicies.get(id)).toMatchObject({
    primary: { updb: { minPasswordLength: 12, maxAttempts: 3, allowed: true } },
  });
});

it('says what was saved or deleted, without taking the focus, and for a short time', async () => {
  const { id } = await run.controller.createIdentity({ name: 'Marie' });
  const page = await run.openSignedIn(`entities/identities/${id}`);
  const message = (text: string) => page.getByRole('status').getByText(text, { exact: true });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('Marie C.');
  await page.getByRole('button', { name: 'Save' }).click();
  await message('Saved.').waitFor();
  expect(await message('Saved.').and(page.locator(':focus')).count()).toBe(0);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await message('Saved.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Identities' }).and(page.locator(':focus')).waitFor();
  await message('Identity Marie C. deleted.').waitFor();
});

it('finds references by name and sends ids', async () => {
  const { management } = run.controller.admin;
  const ada = await run.controller.createIdentity({ name: 'Ada' });
  const page = await run.openSignedIn('entities/servicePolicies/new');
  await page.getByLabel('Name', { exact: true }).fill('dial all');
  await page
    .getByRole('button', { name: /^.*Type/ })
    .first()
    .click();
  await page.getByRole('option', { name: 'Dial' }).click();
  await page.getByRole('button', { name: /Semantic/ }).click();
  await page.getByRole('option', { name: 'AnyOf' }).click();
  await page.getByRole('combobox', { name: 'Identity roles' }).fill('@Ad');
  await page.getByRole('option', { name: '@Ada' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'dial all' }).waitFor();
  const { data } = await management.servicePolicies.list({ filter: 'name = "dial all"' });
  expect(data[0]?.identityRoles).toEqual([`@${ada.id}`]);
  await page.getByRole('tab', { name: 'Identities' }).click();
  await page.getByRole('link', { name: 'Ada' }).click();
  await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor();
  await expectAccessible(page);
});

it('shows the fields of the chosen kind, and sends no others', async () => {
  const page = await run.openSignedIn('entities/postureChecks/new');
  const choose = async (kind: string) => {
    await page.getByRole('button', { name: /^.*Type/ }).click();
    await page.getByRole('option', { name: kind, exact: true }).click();
  };
  const shown = {
    OS: 'Operating systems',
    PROCESS: 'Signer fingerprint',
    PROCESS_MULTI: 'Processes',
    MFA: 'Timeout seconds',
    DOMAIN: 'Domains',
    MAC: 'MAC addresses',
  };
  await page.getByLabel('Name', { exact: true }).fill('known cards');
  for (const kind of Object.keys(shown)) {
    await choose(kind);
    await page
      .getByLabel(shown[kind as keyof typeof shown], { exact: true })
      .first()
      .waitFor();
    for (const [other, label] of Object.entries(shown)) {
      const field = page.getByLabel(label, { exact: true }).first();
      expect(await field.isVisible(), `${label} of ${kind}`).toBe(other === kind);
    }
  }
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Some fields are not right.').waitFor();
  const addresses = page.getByRole('combobox', { name: 'MAC addresses' });
  await addresses.fill('00:11:22:33:44:55');
  await addresses.press('Enter');
  await choose('DOMAIN');
  const domains = page.getByRole('combobox', { name: 'Domains' });
  await domains.fill('corp.example');
  await domains.press('Enter');
  await choose('MAC');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'known cards' }).waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await addresses.waitFor();
  expect(await page.getByRole('button', { name: /^.*Type/ }).count()).toBe(0);
  expect(await domains.count()).toBe(0);
  await page.getByLabel('Name', { exact: true }).fill('cards');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'cards', exact: true }).waitFor();
  const { data } = await run.controller.admin.management.postureChecks.list({ filter: 'name = "cards"' });
  expect(data[0]).toMatchObject({ typeId: 'MAC', macAddresses: ['001122334455'] });
});

it('does not drop what was typed in a dialog without a question', async () => {
  const { id } = await run.controller.createIdentity({ name: 'Barbara' });
  const page = await run.openSignedIn(`entities/identities/${id}`);
  const dialog = page.getByRole('dialog', { name: 'Disable: Barbara' });
  const minutes = dialog.getByLabel('Duration minutes');
  const open = async () => {
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await minutes.waitFor();
  };
  await open();
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'detached' });
  await open();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await open();
  await minutes.fill('5');
  await page.mouse.click(5, 5);
  // A click outside takes the focus out for a moment.
  await dialog.locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Discard what you have entered?' });
  await question.waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect(await minutes.inputValue()).toBe('5');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  expect(await minutes.inputValue()).toBe('5');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'detached' });
  await open();
  expect(await minutes.inputValue()).toBe('');
});

it('does not send a form while something typed is not chosen', async () => {
  const page = await run.openSignedIn('entities/servicePolicies/new');
  await page.getByLabel('Name', { exact: true }).fill('dial nothing');
  const roles = page.getByRole('combobox', { name: 'Identity roles' });
  await roles.pressSequentially('Nobody');
  await page.keyboard.press('Tab');
  await page.getByText('“Nobody” is not chosen.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expectInView(page, roles);
  expect(await page.getByText('This is required.').count()).toBe(0);
});

it('begins with the safe value, and says what the other one means', async () => {
  const { management } = run.controller.admin;
  const page = await run.openSignedIn('entities/services/new');
  const encryption = page.getByRole('checkbox', { name: 'Encryption required' });
  const warning = page.getByText('The routers between both ends can then read what they send.');
  expect(await encryption.isChecked()).toBe(true);
  expect(await warning.count()).toBe(0);
  await page.getByText('Encryption required').click();
  await warning.waitFor();
  await expectAccessible(page);
  await page.getByText('Encryption required').click();
  await warning.waitFor({ state: 'detached' });
  await page.getByLabel('Name', { exact: true }).fill('sealed');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'sealed' }).waitFor();
  const { data } = await management.services.list({ filter: 'name = "sealed"' });
  expect(data[0]?.encryptionRequired).toBe(true);
});
