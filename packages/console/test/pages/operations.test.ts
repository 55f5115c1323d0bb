import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';
import { operationsOfTrees } from '../support/trees.ts';

describe('in the browser', () => {
  let run: ConsoleRun;
  beforeAll(async () => {
    run = await startConsole();
  });
  afterAll(() => run[Symbol.asyncDispose]());

  it('finds an operation, runs it with ids by name, and shows the answer', async () => {
    await run.controller.createIdentity({ name: 'Ada' });
    await run.controller.admin.management.services.create({ name: 'web', encryptionRequired: true });
    const page = await run.openSignedIn('operations');
    await page.getByText(`${operationsOfTrees.length} of ${operationsOfTrees.length} operations`).waitFor();
    await page.getByLabel('Search').fill('policy advice');
    await page.getByText(/^1 of/).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Policy advice' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('This is required.').first().waitFor();
    await page.getByRole('combobox', { name: /^ID/ }).fill('Ada');
    await page.getByRole('option', { name: 'Ada' }).click();
    await page.getByRole('combobox', { name: 'Service ID' }).fill('we');
    await page.getByRole('option', { name: 'web' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('isDialAllowed').or(answer.getByText('identityId')).first().waitFor();
    await expectAccessible(page);
  });

  it('shows a list as a table, and a document with a download', async () => {
    const page = await run.openSignedIn('operations/management/identities/list');
    await page.getByLabel('Filter', { exact: true }).fill('isAdmin = true');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('table').getByRole('link', { name: 'Default Admin' }).waitFor();
    await page.getByLabel('Filter', { exact: true }).fill('nonsense = = 1');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page
      .getByText(/filter/i)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Operations', exact: true }).first().click();
    await page.getByLabel('Search').fill('management well known');
    await page.getByRole('link', { name: 'CA certificates' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download Answer' }).click();
    expect((await download).suggestedFilename()).toMatch(/^wellKnown-caCertificates\./);
  });

  it.each([
    ...['management/identities/removeServiceConfigs', 'management/cas/verify', 'client/postureResponses/createBulk'],
    ...['client/enroll/updb', 'client/authentication/authenticate', 'client/currentIdentityMfa/delete'],
  ])('has a page for %s', async (path) => {
    const page = await run.openSignedIn(`operations/${path}`);
    await page.getByText(`edge.${path.replaceAll('/', '.')}`).waitFor();
    const runs = await page.getByRole('button', { name: 'Run', exact: true }).count();
    expect(runs).toBe(path.endsWith('/authenticate') ? 0 : 1);
  });
});
