/** Upper bounds in seconds. The work of a store is shorter than a request. */
export const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
export const storeBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;

/**
 * How often something took how long. To record a duration makes no object and looks for no labels: this happens with every
 * request.
 */
export class Durations {
  readonly #bounds: readonly number[];
  /** One more than there are bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** `bounds` grow, in seconds. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  record(seconds: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += seconds;
  }

  /** In seconds. */
  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** For each bound, how many took no longer. */
  cumulative(): [bound: number, count: number][] {
    let count = 0;
    return this.#bounds.map((bound, at) => {
      count += this.#counts[at] ?? 0;
      return [bound, count];
    });
  }
}
