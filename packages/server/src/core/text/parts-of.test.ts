import { describe, expect, it } from 'vitest';
import { partsOf } from './parts-of.ts';

const half = 524_288;
const split = (...items: readonly Record<string, number>[]) =>
  partsOf(items, (item) => new Map(Object.entries(item))).map((part) => part.map((item) => items.indexOf(item)));

describe('parts of items', () => {
  it('have at most 1 MiB, and keep the order', () => {
    expect(split()).toEqual([]);
    expect(split({}, {}, {})).toEqual([[0, 1, 2]]);
    expect(split({ a: half }, { b: half }, { c: 1 })).toEqual([[0, 1], [2]]);
    expect(split({ a: half, b: half }, {}, { c: 1 }, { d: half })).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('give a larger item its own part', () => {
    expect(split({ a: 1 }, { b: 3 * half }, { c: 1 }, { d: 1 })).toEqual([[0], [1], [2, 3]]);
    expect(split({ a: 3 * half }, { b: 3 * half })).toEqual([[0], [1]]);
  });

  it('count once what the items of a part share', () => {
    expect(split({ a: half, b: half }, { a: half }, { a: half, b: half })).toEqual([[0, 1, 2]]);
    expect(split({ a: half }, { b: half, a: half }, { c: half, a: half }, { b: half })).toEqual([[0, 1], [2], [3]]);
  });
});
