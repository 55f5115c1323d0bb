import { setImmediate as nextTurn } from 'node:timers/promises';

const runLength = 200;
const stepsInTurn = 500;

/** A sorted copy. Requests get their turn in between: 100,000 rows sorted at once hold up everything for half a second. */
export async function sortInTurns<Row extends object>(
  rows: readonly Row[],
  compare: (left: Row, right: Row) => number,
): Promise<readonly Row[]> {
  let runs: Row[][] = [];
  for (let at = 0; at < rows.length; at += runLength) {
    await nextTurn();
    runs.push(rows.slice(at, at + runLength).sort(compare));
  }
  while (runs.length > 1) {
    const longer: Row[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      await nextTurn();
      longer.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

async function merge<Row extends object>(
  left: readonly Row[],
  right: readonly Row[],
  compare: (left: Row, right: Row) => number,
): Promise<Row[]> {
  const merged: Row[] = [];
  for (let taken = 0; ; ) {
    const [a, b] = [left[taken], right[merged.length - taken]];
    const next = b === undefined || (a !== undefined && compare(a, b) <= 0) ? a : b;
    if (next === undefined) return merged;
    if (next === a) taken += 1;
    merged.push(next);
    if (merged.length % stepsInTurn === 0) await nextTurn();
  }
}
