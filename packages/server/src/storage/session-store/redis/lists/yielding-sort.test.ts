import fc from 'fast-check';
import { expect, it } from 'vitest';
import { yieldingSort } from './yielding-sort.ts';

interface Row {
  readonly key: number;
  readonly at: number;
}

const compare = (left: Row, right: Row) => left.key - right.key;
const rowsOf = (keys: readonly number[]): readonly Row[] => keys.map((key, at) => ({ key, at }));

it('sorts like Array.prototype.sort and does not change its input', async () => {
  const keys = fc.array(fc.nat(50), { maxLength: 2_000, size: 'max' });
  await fc.assert(
    fc.asyncProperty(keys, async (drawn) => {
      const rows = rowsOf(drawn);
      expect(await yieldingSort(rows, compare, () => undefined)).toEqual(rows.toSorted(compare));
      expect(rows).toEqual(rowsOf(drawn));
    }),
    { numRuns: 50 },
  );
});

it('makes at most a few thousand comparisons in one turn of the event loop', async () => {
  const rows = rowsOf(Array.from({ length: 20_000 }, (_, at) => (at * 7_919) % 20_011));
  let inTurn = 0;
  let most = 0;
  let isOver = false;
  const nextTurn = () => {
    inTurn = 0;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  const counting = (left: Row, right: Row) => {
    inTurn += 1;
    most = Math.max(most, inTurn);
    return compare(left, right);
  };
  const sorting = yieldingSort(rows, counting, () => undefined);
  expect(await sorting).toEqual(rows.toSorted(compare));
  isOver = true;
  expect(most).toBeLessThan(5_000);
});

it('ends with what the check of the time throws', async () => {
  let steps = 0;
  const sorting = yieldingSort(rowsOf(Array.from({ length: 20_000 }, (_, at) => -at)), compare, () => {
    steps += 1;
    if (steps === 150) throw new Error('too late');
  });
  await expect(sorting).rejects.toThrow('too late');
  expect(steps).toBe(150);
});
