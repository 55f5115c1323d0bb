import { yieldingSort } from './yielding-sort.ts';

const minUnsorted = 2_000;

/** Collects the first rows of an order. It keeps at most about twice as many rows as it returns. */
export interface FirstRows<Row> {
  add(rows: readonly Row[]): Promise<void>;
  /** The first rows in their order, and the number of all rows that were added. */
  end(): Promise<{ readonly rows: readonly Row[]; readonly totalCount: number }>;
}

/**
 * Creates an empty collection.
 *
 * @param length how many rows to return; `Infinity` for all
 * @param compare keeps the order in which equal rows were added
 * @param checkTime is called in each step of a long sort; what it throws ends the work
 */
export function createFirstRows<Row extends object>({
  length,
  compare,
  checkTime,
}: {
  length: number;
  compare: (left: Row, right: Row) => number;
  checkTime: () => void;
}): FirstRows<Row> {
  let kept: Row[] = [];
  let lastOfFirst: Row | undefined;
  let totalCount = 0;

  const prune = async () => {
    kept = (await yieldingSort(kept, compare, checkTime)).slice(0, length);
    lastOfFirst = kept[length - 1];
  };

  return {
    async add(rows) {
      totalCount += rows.length;
      for (const row of rows) if (lastOfFirst === undefined || compare(row, lastOfFirst) < 0) kept.push(row);
      if (kept.length > 2 * length + minUnsorted) await prune();
    },

    async end() {
      await prune();
      return { rows: kept, totalCount };
    },
  };
}
