import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, pressIfThere, settled, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('signs in with a password, and a reload forgets the session unless the person says so', async () => {
  const page = await run.open();
  await expectAccessible(page);
  await signIn(page, { username: 'admin', password: 'wrong password' });
  await page.getByRole('alert').getByText('User name or password are not right.').waitFor();
  await signIn(page, run.controller.adminCredentials);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.reload();
  await page.getByText('Stay signed in after a reload of this tab').click();
  await signIn(page, run.controller.adminCredentials);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
});

it('leaves nothing of the page of a session that has ended in the document, and goes on with it', async () => {
  const ada = await run.controller.createIdentity({ name: 'Ada', permissions: ['identity.read'] });
  const page = await run.open();
  await signIn(page, ada);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Identities' }).click();
  await page.getByRole('heading', { name: 'Identities' }).waitFor();
  await run.controller.revokeSessions(ada);
  await pressIfThere(page, 'Dashboard');
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await expectAccessible(page);
  // Nothing that the controller has told is in the document, hidden or not.
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toMatch(/Ada|Identities|Dashboard/);
  expect(await page.title()).toBe('Edge Controller');
  await signIn(page, ada);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page
    .getByRole('heading', { name: /^(Identities|Dashboard)$/ })
    .first()
    .waitFor();
});

it('keeps what was typed when the session ends, and also when a sign-in is given up at its second step', async () => {
  const grace = await run.controller.createIdentity({ name: 'Grace' });
  const totp = await (await grace.signIn()).mfa.enroll();
  await totp.verify(run.controller.totp(totp.provisioningUrl));
  const page = await run.open('account');
  await signIn(page, grace);
  await page.getByLabel('Code').fill(run.controller.totp(totp.provisioningUrl));
  await page.getByRole('button', { name: 'Continue' }).click();
  const field = page.getByLabel('New password', { exact: true });
  await field.fill('half of a pass');
  await page.getByLabel('New password again').fill('half of a pass');
  await run.controller.revokeSessions(grace);
  await pressIfThere(page, 'Change the password');
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  await signIn(ended, grace);
  await page.getByRole('dialog', { name: 'One more step' }).getByRole('button', { name: 'Cancel' }).click();
  await signIn(ended, grace);
  await page.getByLabel('Code').fill(run.controller.totp(totp.provisioningUrl));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('half of a pass');
});

it('shows nothing of the last person to the next one', async () => {
  const [joan, mary] = await Promise.all(
    ['Joan', 'Mary'].map((name) =>
      run.controller.createIdentity({ name, roleAttributes: [`only-${name}`], permissions: ['identity.read'] }),
    ),
  );
  if (joan === undefined || mary === undefined) throw new Error('nobody was created');
  const page = await run.open('account');
  await signIn(page, joan);
  await page.getByText('only-Joan').waitFor();
  await page.getByLabel('New password', { exact: true }).fill('half of a pass');
  await page.getByRole('button', { name: 'Set it up' }).waitFor();
  await run.controller.revokeSessions(joan);
  await pressIfThere(page, 'Set it up');
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toMatch(/Joan/);
  // The browser remembers each text that it has shown from here on.
  await page.evaluate(`
    globalThis.shown = '';
    new MutationObserver(() => { globalThis.shown += document.body.innerText; }).observe(document.body, { childList: true, subtree: true });
  `);
  await signIn(page.getByRole('dialog', { name: 'Your session has ended' }), mary);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.getByRole('link', { name: 'Your account' }).click();
  await page.getByText('only-Mary').waitFor();
  expect(await page.evaluate("document.body.innerText.includes('only-Joan')")).toBe(false);
  expect(await page.evaluate('/Mary[^]*only-Joan/.test(globalThis.shown)')).toBe(false);
  expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('');
  await page.getByRole('button', { name: 'Mary' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('User name').waitFor();
  expect(await page.evaluate('document.body.innerText')).not.toContain('Mary');
  expect(page.url()).toBe(run.address);
});

it('keeps the address for the person who was there, and for nobody else', async () => {
  const [edith, ruth] = await Promise.all(
    ['Edith', 'Ruth'].map((name) => run.controller.createIdentity({ name, permissions: ['identity.read'] })),
  );
  if (edith === undefined || ruth === undefined) throw new Error('nobody was created');
  const page = await run.open('account');
  const seeAccount = () => page.getByRole('heading', { name: 'Your account' }).waitFor();
  await signIn(page, edith);
  await seeAccount();
  await page.reload();
  await signIn(page, edith);
  await seeAccount();
  await page.reload();
  await signIn(page, ruth);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.getByRole('link', { name: 'Your account' }).click();
  await seeAccount();
  await page.getByRole('button', { name: 'Ruth' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await signIn(page, edith);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  expect(page.url()).toBe(run.address);
  expect(await page.getByRole('heading', { name: 'Your account' }).count()).toBe(0);
});

it('warns before the session ends, and extends it with one button', async () => {
  const katherine = await run.controller.createIdentity({ name: 'Katherine' });
  const page = await run.open('account');
  await page.clock.install();
  await page.reload();
  await signIn(page, katherine);
  // Each call extends the session, so the page must have all that it asks for.
  for (const text of ['Set it up', 'No policy gives you a service.', 'This session', 'Certificate'])
    await page.getByText(text, { exact: true }).waitFor();
  await settled(page);
  // A minute before the end of the default timeout of half an hour, the client warns.
  const idle = (29 * 60 + 30) * 1_000;
  await run.controller.clock.advance(idle);
  await page.clock.fastForward(idle);
  const warning = page.getByRole('alert').filter({ hasText: 'Nobody has used this session for a while.' });
  await warning.getByRole('button', { name: 'Stay signed in' }).click();
  await warning.waitFor({ state: 'detached' });
  await run.controller.clock.advance(60_000);
  await page.clock.fastForward(60_000);
  await page.getByRole('button', { name: 'Set it up' }).click();
  // The sign-in is too long ago for that, but the session goes on.
  await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
});
