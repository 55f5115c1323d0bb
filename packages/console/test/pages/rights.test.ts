import type { TestIdentity } from '@edge-controller/sdk/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

async function openAs(person: TestIdentity, path = ''): Promise<Page> {
  const page = await run.open(path);
  await signIn(page, person);
  await menuOf(page).getByRole('link', { name: 'Your account', exact: true }).waitFor();
  return page;
}

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Pages', exact: true });

it('groups the pages of an administrator, and leads to the own account from the name, too', async () => {
  const page = await run.openSignedIn();
  const group = (name: string) => menuOf(page).getByRole('region', { name });
  await group('Network').getByRole('link', { name: 'Edge routers', exact: true }).waitFor();
  await group('Overview').getByRole('link', { name: 'Who may dial', exact: true }).waitFor();
  await group('Developer').getByRole('link', { name: 'Operations', exact: true }).waitFor();
  expect(await group('More').count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Default Admin', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
});

it('shows the account and the services to a person who manages nothing, and refuses all else in one sentence', async () => {
  const { services, servicePolicies, postureChecks } = run.controller.admin.management;
  const carol = await run.controller.createIdentity({ name: 'Carol' });
  await services.create({ name: 'wiki', encryptionRequired: true, roleAttributes: ['open'] });
  await services.create({ name: 'payroll', encryptionRequired: true, roleAttributes: ['guarded'] });
  await services.create({ name: 'vault', encryptionRequired: true });
  await postureChecks.create({ name: 'Linux', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] });
  const policy = { type: 'Dial', semantic: 'AnyOf' } as const;
  const identityRoles = [`@${carol.id}`];
  await servicePolicies.create({ ...policy, identityRoles, name: 'wiki', serviceRoles: ['#open'] });
  await servicePolicies.create({
    ...{ ...policy, identityRoles, name: 'payroll' },
    ...{ serviceRoles: ['#guarded'], postureCheckRoles: ['#all'] },
  });

  const page = await openAs(carol);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  const table = page.getByRole('table', { name: 'Your services' });
  await table.getByRole('row', { name: 'wiki' }).getByText('Allowed').waitFor();
  await table.getByRole('row', { name: 'payroll' }).getByText('A posture check fails: OS').waitFor();
  expect(await table.getByText('vault').count()).toBe(0);
  expect(await menuOf(page).getByRole('link').allTextContents()).toEqual(['Your account']);
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);

  const list = await openAs(carol, 'entities/identities');
  await list.getByText('You may not see identities. Ask an administrator.').waitFor();
  expect(await list.getByRole('link', { name: 'Create' }).count()).toBe(0);
  const form = await openAs(carol, 'entities/services/new');
  await form.getByText('You may not create services. Ask an administrator.').waitFor();
  expect(await form.getByRole('textbox').count()).toBe(0);
  const detail = await openAs(carol, `entities/identities/${carol.id}`);
  await detail.getByText('You may not see identities. Ask an administrator.').waitFor();
});

it('offers what the permissions allow, and nothing else', async () => {
  const clerk = await run.controller.createIdentity({ name: 'clerk', permissions: ['service.read', 'config'] });
  await run.controller.admin.management.services.create({ name: 'mail', encryptionRequired: true });
  const page = await openAs(clerk, 'entities/services');
  const links = await menuOf(page).getByRole('link').allTextContents();
  expect(links).toEqual(expect.arrayContaining(['Dashboard', 'Who may dial', 'Services', 'Configs']));
  expect(links).not.toEqual(expect.arrayContaining(['Identities']));
  expect(links).not.toEqual(expect.arrayContaining(['Audit log']));
  await page.getByRole('link', { name: 'mail' }).waitFor();
  expect(await page.getByRole('link', { name: 'Create' }).count()).toBe(0);
  expect(await page.getByRole('checkbox').count()).toBe(0);
  await page.getByRole('link', { name: 'mail' }).click();
  await page.getByRole('heading', { name: 'mail' }).waitFor();
  await page.getByRole('tab', { name: 'Configs' }).waitFor();
  expect(await page.getByRole('tab', { name: 'Terminators' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Actions' }).count()).toBe(0);
  await menuOf(page).getByRole('link', { name: 'Configs', exact: true }).click();
  await page.getByRole('link', { name: 'Create' }).waitFor();
});
