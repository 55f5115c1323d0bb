import fc from 'fast-check';
import type { FilterRow, FilterRows } from '../../src/core/filter/evaluate.ts';
import type { FilterFields } from '../../src/core/filter/page.ts';

/** Strings that databases compare, convert or match in different ways. Both databases and JavaScript agree on their case. */
export const strings = [
  ...['', 'a', 'A', 'ab', 'b', 'ä', 'Ä', 'ЖУК', 'жук', 'é', 'e\u0301', 'ß', '\uffff', '😀', '日本'],
  ...['5', '05', '5.0', '1.5', '-1', 'true', 'null', '%', '_', '"q"', '\\', "'", ' ', 'a\nb', '[]'],
];
export const times = [0, 1, 999, 86_400_000, 1_704_164_645_000, 1_704_164_645_123, 4_102_444_800_000];
export const ids = Array.from({ length: 12 }, (_, at) => `o${at}`);

const boss = { column: 'bossId', table: 'owners' };
const owner = { column: 'ownerId', table: 'owners' };

export const thingFields: FilterFields = {
  id: { type: 'string', column: 'id' },
  createdAt: { type: 'datetime', column: 'createdAt' },
  text: { type: 'string', column: 'text' },
  cost: { type: 'number', column: 'cost' },
  flag: { type: 'boolean', column: 'flag' },
  at: { type: 'datetime', column: 'at' },
  noText: { type: 'string', column: null },
  noCost: { type: 'number', column: null },
  noFlag: { type: 'boolean', column: null },
  noTime: { type: 'datetime', column: null },
  'rules.flag': { type: 'boolean', column: 'rules', path: ['flag'] },
  'rules.deep.text': { type: 'string', column: 'rules', path: ['deep', 'text'] },
  'rules.deep.cost': { type: 'number', column: 'rules', path: ['deep', 'cost'] },
  'rules.deep.at': { type: 'datetime', column: 'rules', path: ['deep', 'at'] },
  owner: { type: 'string', column: 'ownerId' },
  'owner.text': { type: 'string', column: 'text', through: owner },
  'owner.cost': { type: 'number', column: 'cost', through: owner },
  'owner.id': { type: 'string', column: 'id', through: owner },
  'owner.flag': { type: 'boolean', column: 'rules', path: ['flag'], through: owner },
  words: { type: 'set', set: { table: 'things_words', owner: 'ownerId', value: 'value' } },
  owners: {
    type: 'set',
    set: { table: 'things_owners', owner: 'ownerId', value: 'value' },
    to: { table: 'owners', fields: () => ownerFields },
  },
  tags: { type: 'tags', column: 'tags' },
};

export const ownerFields: FilterFields = {
  id: { type: 'string', column: 'id' },
  text: { type: 'string', column: 'text' },
  cost: { type: 'number', column: 'cost' },
  'boss.text': { type: 'string', column: 'text', through: boss },
  things: {
    type: 'set',
    set: { table: 'things', owner: 'ownerId', value: 'id' },
    to: { table: 'things', fields: () => thingFields },
  },
};

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: null, freq: 4 });
const anything = fc.oneof(
  fc.constantFrom<unknown>(true, false, null, 5, 1.5, -1, 0, '2024-01-02T03:04:05.000Z'),
  fc.constantFrom<unknown>(...strings),
);
const moment = fc.constantFrom<unknown>(...times.map((time) => isoText(time)), null, 5, true);
const rules = fc.record(
  { flag: anything, deep: fc.record({ text: anything, cost: anything, at: moment }, { requiredKeys: [] }) },
  { requiredKeys: [] },
);
const thing = fc.record({
  createdAt: fc.constantFrom(...times),
  tags: fc.dictionary(fc.constantFrom('a', 'b', 'c.d', 'e-f'), anything),
  text: maybe(strings),
  cost: maybe([-1, 0, 5, 15]),
  flag: fc.boolean(),
  at: maybe(times),
  rules,
  ownerId: maybe(ids),
});
const ownerRow = fc.record({ text: maybe(strings), cost: maybe([0, 5, 15]), bossId: maybe(ids), rules });
const set = (values: readonly string[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 4 });

/** Rows as the databases keep them: dates are text, booleans 0 or 1, JSON is text. The same rows for the same seed. */
export function generateData(seed: number, count: number): FilterRows {
  const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number) => fc.sample(arbitrary, { seed, numRuns });
  const owners = sample(ownerRow, ids.length).map((row, at) => ({
    id: ids[at],
    ...row,
    rules: JSON.stringify(row.rules),
  }));
  const things = sample(thing, count).map((row, at) => ({
    ...{ id: `t${at}`, text: row.text, cost: row.cost, ownerId: row.ownerId, flag: Number(row.flag) },
    ...{ createdAt: isoText(row.createdAt), at: isoText(row.at) },
    ...{ tags: JSON.stringify(row.tags), rules: JSON.stringify(row.rules) },
  }));
  const elements = (sets: readonly string[][]) =>
    sets.flatMap((values, at) => values.map((value) => ({ ownerId: `t${at}`, value })));
  return {
    owners,
    things,
    things_words: elements(sample(set(strings), count)),
    things_owners: elements(sample(set(ids), count)),
  };
}

function isoText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** The same rows for the plain evaluation. */
export function plainRows(stored: FilterRows): FilterRows {
  const plain = (row: FilterRow) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (name === 'tags') return [name, JSON.parse(String(value))];
        if (name === 'rules') return [name, plainRules(JSON.parse(String(value)))];
        if (name === 'flag') return [name, value === 1];
        return [name, (name === 'createdAt' || name === 'at') && value !== null ? Date.parse(String(value)) : value];
      }),
    );
  return Object.fromEntries(Object.entries(stored).map(([table, rows]) => [table, rows.map(plain)]));
}

function plainRules({ deep, ...others }: { deep?: { at?: unknown } }) {
  if (!deep) return others;
  const { at, ...rest } = deep;
  return { ...others, deep: { ...rest, at: typeof at === 'string' ? Date.parse(at) : null } };
}
