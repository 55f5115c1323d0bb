import { expect, test } from 'vitest';
import { detailOf, tableOf } from './table.ts';

const rows = Array.from({ length: 3 }, (_one, at) => ({
  id: `id-${at}`,
  name: `a sensor with a name that is long, number ${at}`,
  type: { id: 'Device', name: 'Device' },
  roleAttributes: ['a', 'b'],
  externalId: null,
  isAdmin: false,
}));
const names = ['id', 'name', 'type.name', 'roleAttributes', 'externalId', 'isAdmin'];
const widthOf = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));

test.each([20, 40, 60, 80, 200])('a table fits %i columns', (limit) => {
  const table = tableOf(rows, { names, areRequested: false }, limit);
  expect(widthOf(table)).toBeLessThanOrEqual(limit);
  expect(table.split('\n')).toHaveLength(4);
  expect(table).toMatch(/^id +name/);
  expect(table).not.toContain('externalId');
  const cut: number[] = [];
  tableOf(rows, { names, areRequested: false }, limit, (columns) => cut.push(columns));
  const shown = names.filter((name) => new RegExp(`(^| )${name.slice(0, 7)}`).test(table.split('\n')[0] ?? '')).length;
  // One of the names has no value.
  expect(cut).toEqual(shown === names.length - 1 ? [] : [names.length - 1 - shown]);
});

test('a time that is over is marked, and an object without members is none', () => {
  const row = { expiresAt: '2020-01-01T00:00:00.000Z', createdAt: '2020-01-01T00:00:00.000Z', enrollment: {} };
  const detail = detailOf(row, Object.keys(row), Number.POSITIVE_INFINITY);
  expect(detail).toMatch(/expiresAt +2020-01-01T00:00:00.000Z \(expired\)\ncreatedAt +2020-01-01T00:00:00.000Z\n/);
  expect(detail).toMatch(/enrollment +none$/);
  expect(
    tableOf([{ expiresAt: '9999-01-01T00:00:00.000Z' }], { names: ['expiresAt'], areRequested: true }),
  ).not.toContain('expired');
});

test('without a terminal nothing is cut', () => {
  const table = tableOf(rows, { names, areRequested: false }, Number.POSITIVE_INFINITY);
  expect(table).toContain('a sensor with a name that is long, number 2  Device     a, b            false');
});

test('columns that were asked for are all there, as narrow as they must be', () => {
  const table = tableOf(rows, { names, areRequested: true }, 80);
  for (const name of names) expect(table).toContain(name);
  expect(widthOf(table)).toBeLessThanOrEqual(80);
});

test('a value that is too long for its line goes on in the next one', () => {
  const detail = detailOf({ id: 'x', text: 'y'.repeat(50) }, ['id', 'text'], 30);
  expect(widthOf(detail)).toBeLessThanOrEqual(30);
  expect(detail.replaceAll(/\s|text|id|x/g, '')).toBe('y'.repeat(50));
});
