import { setImmediate as nextTurn } from 'node:timers/promises';

const runLength = 200;
const stepsPerTurn = 500;

/**
 * Returns a sorted copy (merge sort). It yields to the event loop between steps, so that requests are handled
 * meanwhile: sorting 100,000 rows in one step would block the process for half a second. What `checkTime` throws between
 * two steps ends the sort.
 */
export async function yieldingSort<Row extends object>(
  rows: readonly Row[],
  compare: (left: Row, right: Row) => number,
  checkTime: () => void,
): Promise<readonly Row[]> {
  const nextStep = async () => {
    await nextTurn();
    checkTime();
  };
  let runs: Row[][] = [];
  for (let at = 0; at < rows.length; at += runLength) {
    await nextStep();
    runs.push(rows.slice(at, at + runLength).sort(compare));
  }
  while (runs.length > 1) {
    const merged: Row[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      await nextStep();
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, nextStep));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Row extends object>(
  left: readonly Row[],
  right: readonly Row[],
  compare: (left: Row, right: Row) => number,
  nextStep: () => Promise<void>,
): Promise<Row[]> {
  const merged: Row[] = [];
  for (let fromLeft = 0; ; ) {
    const [a, b] = [left[fromLeft], right[merged.length - fromLeft]];
    const next = b === undefined || (a !== undefined && compare(a, b) <= 0) ? a : b;
    if (next === undefined) return merged;
    if (next === a) fromLeft += 1;
    merged.push(next);
    if (merged.length % stepsPerTurn === 0) await nextStep();
  }
}
