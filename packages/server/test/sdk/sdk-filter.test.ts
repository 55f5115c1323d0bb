import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, filter } from '@edge-controller/sdk/node';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController } from '../support/controller.ts';

let controller: TestController;
let edge: NodeEdgeClient;

beforeAll(async () => {
  controller = await startController();
  edge = createEdgeClient(controller.url, { caFile: controller.caFile });
  await edge.signIn.password(adminCredentials);
});
afterAll(() => controller[Symbol.asyncDispose]());

const namesFound = async (text: string) =>
  (await edge.management.identities.list({ filter: text })).data.map(({ name }) => name);

const create = (name: string) => edge.management.identities.create({ name, type: 'User', isAdmin: false });

const hostile = [
  ...['" or true or name = "', '"', '\\', '\\"', '\\\\" or true', '" or true -- ', "'", '%', '_', '*'],
  ...['a\nb', 'a\r\tb\f', '\u2028', 'ä', '名前', '🦊', 'null', 'true', '" sort by name', ') or (true'],
];

test.each(hostile)('a filter by the name %j finds the identity with this name only', async (name) => {
  await create(name);
  expect(await namesFound(filter`name = ${name}`)).toEqual([name]);
});

test('a filter by any name finds exactly the identity with this name', async () => {
  const used = new Set(hostile);
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((text) => text.trim() === text && text !== '' && !used.has(text));
  await fc.assert(
    fc.asyncProperty(name, async (text) => {
      if (used.has(text)) return;
      used.add(text);
      const { id } = await create(text);
      expect(await namesFound(filter`name = ${text}`)).toEqual([text]);
      expect(await namesFound(filter`id = ${id} and name != ${text}`)).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test('numbers, booleans, dates, null and lists have the form of the filter language', async () => {
  const now = new Date();
  await create('in a list');
  expect(await namesFound(filter`name in ${['in a list', 'missing']} and createdAt > ${new Date(0)}`)).toEqual([
    'in a list',
  ]);
  expect(await namesFound(filter`name = ${'in a list'} and isAdmin = ${true}`)).toEqual([]);
  expect(await namesFound(filter`name = ${'in a list'} and externalId = ${null} limit ${1}`)).toEqual(['in a list']);
  expect(filter`a = ${-1.5e-7} and b in ${[1, 2]} and c = "d" and e < ${now}`).toBe(
    `a = -1.5e-7 and b in [1, 2] and c = "d" and e < datetime(${now.toISOString()})`,
  );
});

test.each([
  ...[undefined, Number.NaN, Number.POSITIVE_INFINITY, {}, Symbol('s'), () => 1, 1n, [], [[1]], [undefined]],
  ...[new Date(Number.NaN), new Date('+010000-01-01'), 'a\0b', '\ud800'],
])('a value that a filter cannot have is refused', (value) => {
  expect(() => filter`name = ${value as string}`).toThrow(TypeError);
});

test('a value between quotes is refused, because it could end the text', () => {
  const name = ' or true or name = ';
  expect(() => filter`name = "${name}"`).toThrow(/must not be between quotes/);
  expect(() => filter`a = "\\" and name = "${name}"`).toThrow(/must not be between quotes/);
  expect(filter`a = "it \" is" and name = ${name}`).toBe('a = "it \\" is" and name = " or true or name = "');
});
