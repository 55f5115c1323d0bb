import { expect, test } from 'vitest';
import { csvOf } from './csv-of.ts';

const cell = (value: unknown) => csvOf([{ cell: value }], ['cell']).slice('cell\n'.length, -1);

test.each([
  ['=1+1', "'=1+1"],
  ['+1+1', "'+1+1"],
  ['-1+1', "'-1+1"],
  ['-', "'-"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"'\t=1"`],
  ['\r=1', "'\ufffd=1"],
  ['\n=1', `"'\n=1"`],
  ['\uff1d1', "'\uff1d1"],
  ['\uff201', "'\uff201"],
  [['@id', '#all'], `"'@id, #all"`],
])('a cell that a spreadsheet would run gets an apostrophe: %j', (value, expected) => {
  expect(cell(value)).toBe(expected);
});

test.each([-1, '-1', '+4.5', '-1.5e-3', 0, 'a=1', 'x@y', '#all', '2026-01-01T00:00:00Z', '', 'a -1'])(
  'a number, and what no spreadsheet runs, stays: %j',
  (value) => expect(cell(value)).toBe(String(value)),
);

test('what another separator would make a cell of its own stands in quotes', () => {
  expect(cell('a;=1+1')).toBe('"a;=1+1"');
  expect(cell('a\t=1+1')).toBe('"a\t=1+1"');
  expect(cell('a,=1+1')).toBe('"a,=1+1"');
});

test('the head is made of members, which may be anything, too', () => {
  expect(csvOf([{}], ['=1+1'])).toBe("'=1+1\n\n");
});
