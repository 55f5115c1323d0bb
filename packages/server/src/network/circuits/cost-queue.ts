/** A queue that gives its values in the order of their costs: a binary heap. */
export class CostQueue<Value> {
  readonly #values: Value[] = [];
  readonly #costs: number[] = [];

  add(value: Value, cost: number): void {
    let at = this.#values.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#costAt(parent) <= cost) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, value, cost);
  }

  /** Removes the value with the least cost. `undefined`: the queue is empty. */
  take(): Value | undefined {
    const first = this.#values[0];
    const last = this.#values.pop();
    const cost = this.#costs.pop();
    if (this.#values.length > 0 && last !== undefined && cost !== undefined) this.#sink(last, cost);
    return first;
  }

  /** Finds the place of a value, from the first place on. */
  #sink(value: Value, cost: number): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const least = this.#costAt(left + 1) < this.#costAt(left) ? left + 1 : left;
      if (cost <= this.#costAt(least)) break;
      this.#move(least, at);
      at = least;
    }
    this.#put(at, value, cost);
  }

  #costAt(at: number): number {
    return this.#costs[at] ?? Number.POSITIVE_INFINITY;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#values[from] as Value, this.#costAt(from));
  }

  #put(at: number, value: Value, cost: number): void {
    this.#values[at] = value;
    this.#costs[at] = cost;
  }
}
