/**
 * Keeps what was used last by a key: at least the last `size` keys, at most twice as many. A value costs nothing while it is
 * used often: it does not move at each use, as in a list in the order of use.
 */
export class RecentlyUsed<Value> {
  readonly #size: number;
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#size && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  /** The number of values. */
  get size(): number {
    return new Set([...this.#recent.keys(), ...this.#older.keys()]).size;
  }
}
