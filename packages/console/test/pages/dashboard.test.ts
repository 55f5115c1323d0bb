import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('says whether the controller is healthy, who is signed in, and what was refused lately', async () => {
  const ada = await run.controller.createIdentity({ name: 'Ada Lovelace' });
  await ada.signIn();
  const wrong = { username: ada.username, password: 'not the password' };
  await expect(run.controller.client().signIn.password(wrong)).rejects.toMatchObject({ status: 401 });
  const router = await run.controller.startRouter();
  await router.whenOnline();

  const page = await run.openSignedIn();
  const state = page.getByRole('region', { name: 'State of the controller' });
  await state.getByText('Healthy').waitFor();
  await state.getByText('1 of 1').waitFor();
  await page.getByRole('img', { name: /^Bar chart of sign-ins per hour: \d+ accepted, 1 refused$/ }).waitFor();
  const refusals = page.getByRole('region', { name: 'Latest refusals' });
  await refusals.getByText('Sign-in refused').waitFor();
  await refusals.getByText('wrong password').waitFor();
  const sessions = page.getByRole('region', { name: 'Signed in now' });
  await sessions.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  await expectAccessible(page);

  await page.getByText('Show as a table').click();
  const hours = page.getByRole('table', { name: 'Sign-ins per hour' });
  expect(await hours.getByRole('row').count()).toBe(25);
  await refusals.getByRole('link', { name: 'Ada Lovelace' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
});

it('names who has rights and signs in with one factor', async () => {
  await run.controller.createIdentity({ name: 'boss', isAdmin: true });
  const page = await run.openSignedIn();
  const part = page.getByRole('region', { name: 'Rights without a second factor' });
  await part.getByRole('link', { name: 'Default Admin' }).waitFor();
  await expectAccessible(page);
  await part.getByRole('link', { name: 'boss' }).click();
  await page.getByRole('heading', { name: 'boss' }).waitFor();
  await page.getByText('Lacks second factor').waitFor();
});

it('names auth policies that accept every signer while several are enabled', async () => {
  const { management } = run.controller.admin;
  const { primary, secondary } = await management.authPolicies.get('default');
  const extJwt = { allowed: true, allowedSigners: [] };
  await management.authPolicies.create({ name: 'every signer', primary: { ...primary, extJwt }, secondary });
  const page = await run.openSignedIn();
  await page.getByText('Healthy').waitFor();
  for (const name of ['one', 'two'])
    await management.externalJwtSigners.create({
      ...{ name, issuer: name, audience: 'edge', enabled: true, jwksEndpoint: 'https://login.example/' },
    });
  await page.reload();
  await signIn(page, run.controller.adminCredentials);
  const part = page.getByRole('region', { name: 'Auth policies that accept every signer' });
  await part.getByRole('link', { name: 'every signer' }).waitFor();
  await expectAccessible(page);
});

it('fits a narrow dark page, and is accessible there', async () => {
  const page = await run.openSignedIn('', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  await page
    .getByRole('region', { name: 'Signed in now' })
    .getByRole('link', { name: 'Default Admin' })
    .first()
    .waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await expectAccessible(page);
});

it('says in one line what somebody with few permissions may not see', async () => {
  const clerk = await run.controller.createIdentity({ name: 'clerk', permissions: ['service.read'] });
  const page = await run.open();
  await signIn(page, clerk);
  await page.getByText('Healthy').waitFor();
  await page.getByText('You may not see API sessions. Ask an administrator.').waitFor();
  await page.getByText('You may not see edge routers. Ask an administrator.').waitFor();
  await expect.poll(() => page.getByText('You may not see the audit log. Ask an administrator.').count()).toBe(2);
  expect(await page.getByRole('alert').count()).toBe(0);
});
