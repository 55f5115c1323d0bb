import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

const schema = {
  type: 'object',
  required: ['host'],
  properties: {
    host: { type: 'string' },
    port: { type: 'integer', maximum: 65_535 },
    share: { type: 'number' },
    isOpen: { type: 'boolean' },
    protocol: { enum: ['tcp', 'udp'] },
    ports: { type: 'array', items: { type: 'integer' } },
    limits: { type: 'object', properties: { most: { type: 'integer' } } },
    either: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
  },
};

const choose = async (page: Page, label: RegExp, option: string) => {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const chooseType = async (page: Page, name: string) => {
  await page.getByRole('combobox', { name: 'Config type ID' }).fill(name);
  await page.getByRole('option', { name, exact: true }).click();
};
const inData = (page: Page) => page.getByRole('group', { name: 'Data' });

it('has a form for the data of a config, made from the schema of its type', async () => {
  const { configs, configTypes } = run.controller.admin.management;
  await configTypes.create({ name: 'door', schema });
  const page = await run.openSignedIn('entities/configs/new');
  await page.getByLabel('Name', { exact: true }).fill('front');
  await chooseType(page, 'door');
  const data = inData(page);
  await data.getByLabel('Port', { exact: true }).fill('many');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await data.getByText('This is required.').waitFor();
  await data.getByText('Enter a whole number.').waitFor();
  await data.getByLabel('Host').fill('wiki.example');
  await data.getByLabel('Port', { exact: true }).fill('70000');
  await data.getByLabel('Share').fill('0.5');
  await choose(page, /Is open/, 'Yes');
  await choose(page, /Protocol/, 'udp');
  const ports = data.getByRole('combobox', { name: 'Ports' });
  await ports.fill('80');
  await ports.press('Enter');
  await data.getByRole('group', { name: 'Limits' }).getByLabel('Most').fill('3');
  await data.getByLabel('Either').fill('"yes"');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await data.getByText('port is invalid').waitFor();
  expect(await data.getByLabel('Port', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  await data.getByLabel('Port', { exact: true }).fill('443');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'front' }).waitFor();
  const { data: created } = await configs.list({ filter: 'name = "front"' });
  expect(created[0]?.data).toEqual({
    ...{ host: 'wiki.example', port: 443, share: 0.5, isOpen: true, protocol: 'udp', ports: [80] },
    ...{ limits: { most: 3 }, either: 'yes' },
  });
});

it('changes a config in its form or as JSON, and as JSON alone what the form would lose', async () => {
  const { configs, configTypes } = run.controller.admin.management;
  const { id: configTypeId } = await configTypes.create({ name: 'gate', schema });
  const { id } = await configs.create({ name: 'back', configTypeId, data: { host: 'a', limits: { most: 3 } } });
  const page = await run.openSignedIn(`entities/configs/${id}`);
  const edit = page.getByRole('button', { name: 'Edit', exact: true });
  const save = page.getByRole('button', { name: 'Save' });
  await edit.click();
  await inData(page).getByLabel('Host').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('side');
  await save.click();
  await page.getByRole('heading', { name: 'side' }).waitFor();
  expect((await configs.get(id)).data).toEqual({ host: 'a', limits: { most: 3 } });

  await edit.click();
  await inData(page).getByLabel('Host').fill('b');
  await inData(page).getByLabel('Most').fill('');
  await save.click();
  await edit.waitFor();
  expect((await configs.get(id)).data).toEqual({ host: 'b' });

  await edit.click();
  await page.getByRole('button', { name: 'Edit as JSON: Data' }).click();
  const json = page.getByLabel('Data as JSON');
  expect(JSON.parse(await json.inputValue())).toEqual({ host: 'b' });
  await json.fill('{ "host": "c", "port": 1 }');
  await page.getByRole('button', { name: 'Edit as a form: Data' }).click();
  expect(await inData(page).getByLabel('Port', { exact: true }).inputValue()).toBe('1');
  await page.getByRole('button', { name: 'Edit as JSON: Data' }).click();
  await json.fill('{ "host": "c", "other": [true] }');
  expect(await page.getByRole('button', { name: 'Edit as a form: Data' }).isDisabled()).toBe(true);
  await expectAccessible(page);
  await save.click();
  await edit.waitFor();
  expect((await configs.get(id)).data).toEqual({ host: 'c', other: [true] });
  await edit.click();
  expect(JSON.parse(await json.inputValue())).toEqual({ host: 'c', other: [true] });
  expect(await inData(page).count()).toBe(0);
});

it('has keys and values for a config whose type has no schema, and the form of another type when it is chosen', async () => {
  const { configTypes } = run.controller.admin.management;
  await configTypes.create({ name: 'free' });
  const page = await run.openSignedIn('entities/configs/new');
  await chooseType(page, 'intercept.v1');
  await inData(page).getByRole('combobox', { name: 'Addresses', exact: true }).waitFor();
  await expectAccessible(page);
  await chooseType(page, 'free');
  await page.getByRole('button', { name: 'Add a row to Data' }).click();
  await inData(page).getByLabel('Key 1').fill('hostname');
  await inData(page).getByLabel('Value 1').fill('wiki');
  await chooseType(page, 'ziti-tunneler-client.v1');
  expect(await inData(page).getByLabel('Hostname').inputValue()).toBe('wiki');
});
