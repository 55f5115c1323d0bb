/** The chance that one of `b` is greater than one of `a`; equal ones count half (Mann-Whitney U over the pairs). */
export function auc(a: readonly number[], b: readonly number[]): number {
  const sorted = a.toSorted((x, y) => x - y);
  const below = (value: number, orEqual: boolean) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = sorted[middle] ?? Number.POSITIVE_INFINITY;
      if (at < value || (orEqual && at === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const wins = b.reduce((sum, value) => sum + (below(value, false) + below(value, true)) / 2, 0);
  return wins / (a.length * b.length);
}
