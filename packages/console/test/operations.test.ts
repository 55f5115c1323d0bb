import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiName } from '@edge-controller/operation-tables';
import { loadTable } from '@edge-controller/operation-tables';
import type { ApiTree } from '@edge-controller/shared-types';
import { clientApi, managementApi } from '@edge-controller/shared-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleOperations, isSignIn } from '../src/api/console-operations.ts';
import type { ConsoleRun } from './support/open-console.ts';
import { expectAccessible, startConsole } from './support/open-console.ts';

const trees: Readonly<Record<ApiName, ApiTree>> = { client: clientApi, management: managementApi };
const source = join(import.meta.dirname, '../src');

const ofTrees = Object.entries(trees).flatMap(([api, tree]) =>
  Object.entries(tree).flatMap(([resource, verbs]) => Object.keys(verbs).map((verb) => `${api}.${resource}.${verb}`)),
);

/** The code of a folder or of the files that begin so. */
function codeOf(start: string): string {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith(start) && /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(source, name), 'utf8'))
    .join('\n');
}

describe('every operation of both trees', () => {
  it('is an operation of the console', async () => {
    const tables = { client: await loadTable('client'), management: await loadTable('management') };
    const ofConsole = consoleOperations(tables).map(({ api, resource, verb }) => `${api}.${resource}.${verb}`);
    expect(ofConsole.toSorted()).toEqual(ofTrees.toSorted());
  });

  it('but the sign-in runs there, which is a page of its own', async () => {
    const tables = { client: await loadTable('client'), management: await loadTable('management') };
    const signIns = consoleOperations(tables).filter(isSignIn);
    expect(signIns.map(({ api, verb }) => `${api} ${verb}`)).toEqual([
      'management authenticate',
      'client authenticate',
    ]);
  });

  it.each([
    ...['entities/entity-', 'entities/form/', 'entities/list-', 'entities/new-page', 'entities/related-list'],
    ...['entities/rows-table', 'entities/answer', 'operations/', 'api/console-operations', 'api/names'],
  ])('needs no name of an entity in %s', (start) => {
    const code = codeOf(start).replaceAll(/^import [^\n]*$|\/\*\*.*?\*\/|\/\/[^\n]*$/gms, '');
    expect(code).not.toBe('');
    const entities = Object.entries(trees.management).filter(([, verbs]) => verbs.get && verbs.list);
    const named = entities.filter(([resource]) => new RegExp(`['"\`.]${resource}\\b`).test(code));
    expect(named.map(([resource]) => resource)).toEqual([]);
  });
});

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
    await page.getByText(`${ofTrees.length} of ${ofTrees.length} operations`).waitFor();
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
