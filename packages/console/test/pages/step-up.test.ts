import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, signIn, startConsole } from '../support/open-console.ts';

/** Milliseconds after which a sign-in is no proof any more. */
const maxAge = 300_000;

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

const question = (page: Page) => page.getByRole('dialog', { name: 'Confirm that it is you' });

/** Opens the form of the person's own identity, types an external id, and saves a while after the sign-in. */
async function saveLate(page: Page, externalId: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'External ID', exact: true }).fill(externalId);
  await run.controller.clock.advance(maxAge + 1_000);
  await page.getByRole('button', { name: 'Save' }).click();
  await question(page).waitFor();
}

it('asks for a code in place, and the change goes on with what was typed', async () => {
  const grace = await run.controller.createIdentity({ name: 'Grace', isAdmin: true });
  const edge = await grace.signIn();
  const enrollment = await edge.mfa.enroll();
  await enrollment.verify(run.controller.totp(enrollment.secret));
  const page = await run.open(`entities/identities/${grace.id}`);
  await signIn(page, grace);
  await page.getByLabel('Code').fill(run.controller.totp(enrollment.secret));
  await page.getByRole('button', { name: 'Continue' }).click();
  await saveLate(page, 'grace@example.com');
  await question(page).getByLabel('Code').fill('000000');
  await question(page).getByRole('button', { name: 'Confirm' }).click();
  await question(page).getByText('The code is wrong').waitFor();
  await expectAccessible(page);
  await question(page).getByLabel('Code').fill(run.controller.totp(enrollment.secret));
  await question(page).getByRole('button', { name: 'Confirm' }).click();
  await question(page).waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('Saved.', { exact: true }).waitFor();
  const { externalId } = await run.controller.admin.management.identities.get(grace.id);
  expect(externalId).toBe('grace@example.com');
});

it('changes nothing when it is not confirmed, and keeps the form', async () => {
  const mary = await run.controller.createIdentity({ name: 'Mary', isAdmin: true });
  const page = await run.open(`entities/identities/${mary.id}`);
  await signIn(page, mary);
  await saveLate(page, 'mary@example.com');
  await question(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Nothing was changed: you did not confirm that it is you.').waitFor();
  expect(await page.getByRole('textbox', { name: 'External ID', exact: true }).inputValue()).toBe('mary@example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await signIn({ getByLabel: (label) => question(page).getByLabel(label), getByRole: page.getByRole.bind(page) }, mary);
  await page.getByRole('status').getByText('Saved.', { exact: true }).waitFor();
});

it('sets up an authenticator app after a new sign-in', async () => {
  const joan = await run.controller.createIdentity({ name: 'Joan' });
  const page = await run.open('account');
  await signIn(page, joan);
  await page.getByRole('button', { name: 'Set it up' }).waitFor();
  await run.controller.clock.advance(maxAge + 1_000);
  await page.getByRole('button', { name: 'Set it up' }).click();
  await question(page).waitFor();
  await question(page).getByLabel('User name').fill(joan.username);
  await question(page).getByLabel('Password').fill(joan.password);
  await question(page).getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
});
