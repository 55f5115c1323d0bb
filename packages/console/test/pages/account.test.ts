import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('says who the person is and what it may do', async () => {
  const ada = await run.controller.createIdentity({ name: 'Ada', permissions: ['service', 'identity.read'] });
  const page = await run.open('account');
  await signIn(page, ada);
  const card = page.getByRole('region', { name: 'Who you are' });
  await card.getByText('Everything with service').waitFor();
  await card.getByText('Read: identity').waitFor();
  await page.getByRole('table', { name: 'Your sessions' }).getByText('This session').waitFor();
  await page.getByRole('table', { name: 'Authenticators' }).getByRole('cell', { name: 'Password' }).waitFor();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});

it('changes the password, with the reasons of the controller at their fields', async () => {
  const grace = await run.controller.createIdentity({ name: 'Grace' });
  const other = await grace.signIn();
  const page = await run.open('account');
  await signIn(page, grace);
  const card = page.getByRole('region', { name: 'Password' });
  const fields = ['Current password', 'New password', 'New password again'].map((label) =>
    card.getByLabel(label, { exact: true }),
  );
  const change = async (values: readonly string[]) => {
    for (const [at, value] of values.entries()) await fields[at]?.fill(value);
    await card.getByRole('button', { name: 'Change the password' }).click();
  };
  const described = (at: number) => fields[at]?.getAttribute('aria-invalid');
  await change([grace.password, 'one password', 'another password']);
  await card.getByText('This is not the same password.').waitFor();
  await change(['not the password', 'new password 1', 'new password 1']);
  await card.getByText('invalid current password').waitFor();
  expect(await described(0)).toBe('true');
  await change([grace.password, 'abc', 'abc']);
  await card.getByText('should be at least 5 chars long', { exact: true }).waitFor();
  expect(await described(1)).toBe('true');
  await expectAccessible(page);
  await change([grace.password, 'new password 1', 'new password 1']);
  await card.getByText('The password is changed.').waitFor();
  expect(await fields[0]?.inputValue()).toBe('');
  await expect(other.client.currentApiSession.get()).rejects.toMatchObject({ status: 401 });
  await grace.signIn().then(
    () => expect.fail('the old password signs in'),
    (error: unknown) => expect(error).toMatchObject({ code: 'INVALID_AUTH' }),
  );
});

it('sets up an authenticator app, shows and replaces its recovery codes, and removes it', async () => {
  const joan = await run.controller.createIdentity({ name: 'Joan' });
  const page = await run.open('account', { permissions: ['clipboard-read', 'clipboard-write'] });
  await signIn(page, joan);
  const card = page.getByRole('region', { name: 'Authenticator app' });
  await card.getByRole('button', { name: 'Set it up' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Copy the key' }).click();
  const secret = String(await page.evaluate('navigator.clipboard.readText()'));
  await dialog.getByLabel('Code', { exact: true }).fill(run.controller.totp(secret));
  await dialog.getByRole('button', { name: 'Turn it on' }).click();
  await card.getByText('On', { exact: true }).waitFor();

  const codes = () => dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
  await card.getByRole('button', { name: 'Show recovery codes' }).click();
  await dialog.getByLabel('Code').fill('000000');
  await dialog.getByRole('button', { name: 'Show the recovery codes' }).click();
  await dialog.getByText('The code is wrong').waitFor();
  await dialog.getByLabel('Code').fill(run.controller.totp(secret));
  await dialog.getByRole('button', { name: 'Show the recovery codes' }).click();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('recovery-codes.txt');
  const before = await codes();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await card.getByRole('button', { name: 'Make new ones' }).click();
  await dialog.getByLabel('Code').fill(before[0] ?? '');
  await dialog.getByRole('button', { name: 'Replace the recovery codes' }).click();
  await dialog.getByRole('button', { name: 'Show the recovery codes' }).waitFor();
  await dialog.getByLabel('Code').fill(run.controller.totp(secret));
  await dialog.getByRole('button', { name: 'Show the recovery codes' }).click();
  await dialog.getByRole('list', { name: 'Recovery codes' }).waitFor();
  const after = await codes();
  expect(after.filter((code) => before.includes(code))).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await card.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByLabel('Code').fill(after[0] ?? '');
  await dialog.getByRole('button', { name: 'Remove the authenticator app' }).click();
  await card.getByText('Off', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await card.getByText('You are signed out everywhere else.').waitFor();
});

it('ends another session of an administrator, and shows the certificates that are to be renewed', async () => {
  const mary = await run.controller.createIdentity({ name: 'Mary', isAdmin: true });
  await run.controller.clientCertificate(mary);
  const { authenticators } = run.controller.admin.management;
  const { data } = await authenticators.list({ filter: `identity = "${mary.id}" and method = "cert"` });
  await authenticators.requestExtend(data[0]?.id ?? '', { rollKeys: true });
  const other = await mary.signIn();
  const page = await run.open('account');
  await signIn(page, mary);
  await page.getByRole('cell', { name: 'Asked for, with a new key' }).waitFor();
  await page.getByRole('button', { name: 'End the session from' }).click();
  await page.getByRole('button', { name: 'End the session from' }).waitFor({ state: 'detached' });
  await expect(other.client.currentApiSession.get()).rejects.toMatchObject({ status: 401 });
  await expectAccessible(page);
});

it('ends the other sessions of somebody without rights, one or all', async () => {
  const hedy = await run.controller.createIdentity({ name: 'Hedy' });
  const others = [await hedy.signIn(), await hedy.signIn(), await hedy.signIn()];
  const page = await run.open('account');
  await signIn(page, hedy);
  const card = page.getByRole('region', { name: 'Where you are signed in' });
  const ends = card.getByRole('button', { name: 'End the session from' });
  await ends.nth(2).waitFor();
  await expectAccessible(page);
  await ends.first().click();
  await ends.nth(2).waitFor({ state: 'detached' });
  const live = await Promise.all(
    others.map(({ client }) =>
      client.currentApiSession.get().then(
        () => true,
        () => false,
      ),
    ),
  );
  expect(live.filter(Boolean)).toHaveLength(2);
  await card.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await ends.first().waitFor({ state: 'detached' });
  await card.getByText('This session').waitFor();
  for (const { client } of others) await expect(client.currentApiSession.get()).rejects.toMatchObject({ status: 401 });
  await expectAccessible(page);
});

it('shows no session any more that a new password has ended', async () => {
  const dorothy = await run.controller.createIdentity({ name: 'Dorothy', isAdmin: true });
  await dorothy.signIn();
  const page = await run.open('account');
  await signIn(page, dorothy);
  const others = page.getByRole('button', { name: 'End the session from' });
  await others.waitFor();
  const card = page.getByRole('region', { name: 'Password' });
  await card.getByLabel('Current password').fill(dorothy.password);
  for (const label of ['New password', 'New password again'])
    await card.getByLabel(label, { exact: true }).fill('new password 1');
  await card.getByRole('button', { name: 'Change the password' }).click();
  await card.getByText('The password is changed.').waitFor();
  await others.waitFor({ state: 'detached' });
  await page.getByRole('table', { name: 'Your sessions' }).getByText('This session').waitFor();
});

it('shows refused sign-ins, and that an administrator has changed the password', async () => {
  const katherine = await run.controller.createIdentity({ name: 'Katherine' });
  const { authenticators } = run.controller.admin.management;
  const { data } = await authenticators.list({ filter: `identity = "${katherine.id}"` });
  await authenticators.patch(data[0]?.id ?? '', { password: 'rehearse the zebra' });
  const page = await run.open('account');
  await signIn(page, katherine);
  await page.getByRole('alert').waitFor();
  await signIn(page, { ...katherine, password: 'rehearse the zebra' });
  const table = page.getByRole('table', { name: 'Recent activity' });
  const row = (name: string) => table.getByRole('row', { name }).first();
  await row('Sign-in refused').getByText('127.0.0.1').waitFor();
  await row('Password changed').getByText('An administrator').waitFor();
  await expectAccessible(page);
});
