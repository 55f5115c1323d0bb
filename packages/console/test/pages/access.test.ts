import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

const condition = (page: Page, title: string, state: string) =>
  page.getByRole('listitem').filter({ hasText: `${state}${title} ` });

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
  await answer.getByRole('link', { name: 'Create a policy' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Ada dials vault');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'Ada dials vault' }).waitFor();
  const { data } = await run.controller.admin.management.servicePolicies.list({ filter: 'name = "Ada dials vault"' });
  expect(data).toMatchObject([{ type: 'Dial', semantic: 'AnyOf', identityRoles: [`@${ada.id}`] }]);
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
  await page.getByText('Grace cannot dial reports.').waitFor();
  await condition(page, 'Service policy', 'OK').waitFor();
  await condition(page, 'Edge router', 'OK').getByText('router-west is online.').waitFor();
  await condition(page, 'Posture checks', 'Unknown').getByText('Grace is not signed in').waitFor();
  await condition(page, 'Host', 'Not OK').getByText('Nobody hosts reports now: it has no terminator.').waitFor();
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

it('never says that an identity can dial before its device passes the posture checks', async () => {
  const { controller } = run;
  const { management } = controller.admin;
  const bob = await controller.createIdentity({ name: 'Bob' });
  const service = await controller.createService({ name: 'payroll', dial: [] });
  const check = await management.postureChecks.create({
    ...{ name: 'must be Windows', typeId: 'OS', operatingSystems: [{ type: 'Windows', versions: ['>=10.0.0'] }] },
  });
  await management.servicePolicies.create({
    ...{ name: 'Bob dials payroll', type: 'Dial', semantic: 'AnyOf' },
    ...{ identityRoles: [`@${bob.id}`], serviceRoles: [`@${service.id}`], postureCheckRoles: [`@${check.id}`] },
  });
  const router = await controller.startRouter({ name: 'router-east' });
  await router.whenOnline();
  const host = { service: service.id, router: router.id, binding: 'transport', address: 'tcp:localhost:80' };
  await management.terminators.create(host);
  const { client } = await bob.signIn();
  const report = (type: 'Linux' | 'Windows') =>
    client.postureResponses.create({ id: check.id, typeId: 'OS', type, version: '11.0.0', build: '1' });
  const dial = () => client.sessions.create({ serviceId: service.id, type: 'Dial' });

  const look = () => run.openSignedIn(`access?identity=${bob.id}&service=${service.id}`);

  let page = await look();
  await page.getByText('Bob cannot dial payroll.').waitFor();
  await condition(page, 'Posture checks', 'Not OK').getByText('has reported no operating system').waitFor();
  await condition(page, 'Host', 'OK').waitFor();
  await expectAccessible(page);

  await report('Linux');
  await expect(dial()).rejects.toMatchObject({ code: 'INVALID_POSTURE' });
  page = await look();
  await page.getByText('It is not known whether Bob can dial payroll.').waitFor();
  const posture = condition(page, 'Posture checks', 'Unknown');
  await posture.getByText('has reported the operating system Linux 11.0.0.').waitFor();
  await posture.getByText(/Its last request was refused on .+ because of “must be Windows”\./).waitFor();

  await report('Windows');
  await dial();
  page = await look();
  await page.getByText('Bob can dial payroll.').waitFor();
  await condition(page, 'Posture checks', 'OK').getByText('it has a session for payroll now').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await router.stop();
  await expect
    .poll(async () => (await management.transitRouters.get(router.id)).isOnline, { timeout: 10_000 })
    .toBe(false);
  page = await look();
  await condition(page, 'Host', 'Not OK').getByText('no router of them is online').waitFor();
});
