import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('finds identity and service by their names, and says in words what is missing', async () => {
  const ada = await run.controller.createIdentity({ name: 'Ada Lovelace' });
  await run.controller.createService({ name: 'wiki', dial: [`@${ada.id}`] });
  await run.controller.createService({ name: 'vault', dial: [] });
  const page = await run.openSignedIn('access');
  await page.getByRole('combobox', { name: 'Identity' }).fill('lovel');
  await page.getByRole('option', { name: 'Ada Lovelace' }).click();
  await page.getByRole('combobox', { name: 'Service' }).fill('vau');
  await page.getByRole('option', { name: 'vault' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('Ada Lovelace cannot dial vault.').waitFor();
  await answer.getByText('No service policy of type Dial names both Ada Lovelace and vault.').waitFor();
  await answer.getByText('No edge router policy gives Ada Lovelace an edge router.').waitFor();
  const picture = page.getByRole('region', { name: 'The way from Ada Lovelace to vault' });
  await picture.getByRole('link', { name: 'Dial wiki' }).waitFor();
  await expectAccessible(page);
  expect(page.url()).toMatch(/access\?identity=.+&service=.+/);
});

it('shows the policies with their posture checks, and the routers in common', async () => {
  const { controller } = run;
  const { management } = controller.admin;
  const grace = await controller.createIdentity({ name: 'Grace' });
  const service = await controller.createService({ name: 'reports', dial: [] });
  const check = await management.postureChecks.create({ name: 'second factor', typeId: 'MFA' });
  await management.servicePolicies.create({
    ...{ name: 'staff reads reports', type: 'Dial', semantic: 'AnyOf' },
    ...{ identityRoles: [`@${grace.id}`], serviceRoles: [`@${service.id}`], postureCheckRoles: [`@${check.id}`] },
  });
  const router = await controller.startRouter({ name: 'router-west' });
  await router.whenOnline();

  const page = await run.openSignedIn(`entities/services/${service.id}`);
  await page.getByRole('link', { name: 'See whether an identity may dial reports, and why' }).click();
  await page.getByRole('combobox', { name: 'Identity' }).fill('grace');
  await page.getByRole('option', { name: 'Grace' }).click();
  await page.getByText('Grace can dial reports.').waitFor();
  const picture = page.getByRole('region', { name: 'The way from Grace to reports' });
  await picture.getByRole('link', { name: 'staff reads reports' }).waitFor();
  await picture.getByRole('link', { name: 'second factor' }).waitFor();
  await picture.getByRole('link', { name: 'router-west' }).waitFor();
  await picture.getByText('Online').waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await expectAccessible(page);

  await router.stop();
  await expect
    .poll(async () => (await management.identities.policyAdvice(grace.id, service.id)).commonRouters)
    .toMatchObject([{ isOnline: false }]);
  await page.reload();
  await page.getByLabel('User name').fill(controller.adminCredentials.username);
  await page.getByLabel('Password').fill(controller.adminCredentials.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('No edge router that both have is online.').waitFor();
});
