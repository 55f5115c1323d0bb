import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('shows what an operation answers in words, and lists of objects as tables', async () => {
  const { management } = run.controller.admin;
  const { id } = await run.controller.createIdentity({ name: 'Hedy' });
  const roles = { semantic: 'AnyOf' as const, identityRoles: [`@${id}`] };
  const service = await management.services.create({ name: 'files', encryptionRequired: true });
  const router = await management.edgeRouters.create({ name: 'er-1' });
  await management.edgeRouterPolicies.create({ name: 'all', ...roles, edgeRouterRoles: [`@${router.id}`] });
  await management.serviceEdgeRouterPolicies.create({
    ...{ name: 'all', semantic: 'AnyOf', serviceRoles: [`@${service.id}`], edgeRouterRoles: [`@${router.id}`] },
  });
  await management.servicePolicies.create({ name: 'dial', type: 'Dial', ...roles, serviceRoles: [`@${service.id}`] });
  const page = await run.openSignedIn(`entities/identities/${id}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Policy advice' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: /^Service ID/ }).pressSequentially('files');
  await page.getByRole('option', { name: 'files' }).click();
  await dialog.getByRole('button', { name: 'Policy advice' }).click();
  await dialog.getByRole('term').filter({ hasText: 'Is dial allowed' }).waitFor();
  await dialog.getByText('Is bind allowed').waitFor();
  const routers = dialog.getByRole('table', { name: 'Common routers' });
  await routers.getByRole('link', { name: 'er-1' }).waitFor();
  await routers.getByRole('columnheader', { name: 'Is online' }).waitFor();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
});

it('runs the other operations of an entity, and asks before it deletes', async () => {
  const { management } = run.controller.admin;
  const { id } = await run.controller.createIdentity({ name: 'Joan' });
  const page = await run.openSignedIn(`entities/identities/${id}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('0 or less: for ever. Empty: 0.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await dialog.getByText('Done.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  const disabled = await management.identities.get(id);
  expect([disabled.disabled, disabled.disabledUntil]).toEqual([true, undefined]);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Enable' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Disable' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Posture data' }).click();
  await page
    .getByRole('tabpanel')
    .getByText(/Reads|posture/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Identities' }).waitFor();
  await expect(management.identities.get(id)).rejects.toMatchObject({ status: 404 });
});
