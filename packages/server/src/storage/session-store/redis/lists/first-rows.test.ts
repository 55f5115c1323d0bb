import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFirstRows } from './first-rows.ts';

interface Row {
  readonly key: number;
  readonly at: number;
}

const compare = (left: Row, right: Row) => left.key - right.key;

it('returns the first rows of the order and the number of all rows', async () => {
  const keys = fc.array(fc.nat(5_000), { maxLength: 10_000, size: 'max' });
  const length = fc.oneof(fc.nat(3_000), fc.constant(Number.POSITIVE_INFINITY));
  await fc.assert(
    fc.asyncProperty(keys, length, fc.integer({ min: 1, max: 700 }), async (drawn, wanted, batch) => {
      const rows = drawn.map((key, at) => ({ key, at }));
      const first = createFirstRows<Row>({ length: wanted, compare, checkTime: () => undefined });
      for (let at = 0; at < rows.length; at += batch) await first.add(rows.slice(at, at + batch));
      expect(await first.end()).toEqual({
        rows: rows.toSorted(compare).slice(0, wanted),
        totalCount: rows.length,
      });
    }),
    { numRuns: 50 },
  );
});
