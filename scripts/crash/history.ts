// What the client knows of each operation: { op, writes, start, end, result }. An operation writes values of keys.
// `result` is `running` until the response comes, then `acknowledged`, `refused` or `failed`. It is `cut off` when the
// controller was killed before it responded, or could not say what became of the operation.

/** Values by key. */
export type Writes = Readonly<Record<string, unknown>>;

export type Outcome = 'acknowledged' | 'refused' | 'failed' | 'cut off';

interface Entry {
  readonly op: string;
  readonly writes: Writes;
  readonly start: number;
  end: number;
  result: Outcome | 'running';
}

/** How often something became of a kind of operation. */
export type Counts = Partial<Record<Outcome | 'applied', number>>;

const always = { start: Number.NEGATIVE_INFINITY, end: Number.NEGATIVE_INFINITY };

/** What happened to the keys, as far as it decides what a read may return. Times are in milliseconds of this process. */
export class History {
  readonly #byKey = new Map<string, readonly Entry[]>();
  readonly #counts = new Map<string, Counts>();
  #inThisLife = new Map<string, number>();
  #cutOff: Entry[] = [];
  #onAcknowledged: (op: string) => void = () => undefined;

  /** Sets what is known before any operation. */
  assume(writes: Writes): void {
    for (const key of Object.keys(writes)) {
      this.#byKey.set(key, [{ op: 'known', writes, ...always, result: 'acknowledged' }]);
    }
  }

  /** Notes the start of an operation. Returns the function that notes its end. */
  begin(op: string, writes: Writes): (result: Outcome) => void {
    const end = Number.POSITIVE_INFINITY;
    const entry: Entry = { op, writes, start: performance.now(), end, result: 'running' };
    for (const key of Object.keys(writes)) this.#byKey.set(key, [...this.#entriesOf(key), entry]);
    return (result) => {
      entry.result = result;
      this.#count(op, result);
      if (result === 'cut off') this.#cutOff.push(entry);
      else entry.end = performance.now();
      if (result === 'acknowledged') this.#onAcknowledged(op);
      if (result === 'refused') this.#forget(entry);
    };
  }

  /** Resolves when the next operation of a kind is acknowledged. */
  acknowledged(op: string): Promise<void> {
    return new Promise((resolve) => {
      this.#onAcknowledged = (done) => {
        if (done === op) resolve();
      };
    });
  }

  /** The last acknowledged value of a key that only one writer writes. */
  last(key: string): unknown {
    return this.#entriesOf(key).findLast(({ result }) => result === 'acknowledged')?.writes[key];
  }

  /** Compares a value that was read between `since` and now. Returns a fault or null. */
  check(key: string, value: unknown, since: number): string | null {
    if (this.#allows(key, value, { since, until: performance.now() })) return null;
    const lines = this.#entriesOf(key)
      .slice(-4)
      .map(({ op, writes, start, end, result }) => ({ op, value: writes[key], start, end, result }));
    return `${key} is ${JSON.stringify(value)}; history: ${JSON.stringify(lines)}`;
  }

  /**
   * Compares all that was read after a restart, by key, and forgets what led to it. An operation that was cut off must
   * have written all its values or none. Returns faults.
   */
  restart(observed: ReadonlyMap<string, unknown>): string[] {
    const now = performance.now();
    const faults = [...observed].map(([key, value]) => this.check(key, value, now)).filter((fault) => fault !== null);
    for (const entry of this.#cutOff) {
      const { op, writes } = entry;
      // A key that had this value before tells nothing.
      const keys = Object.keys(writes).filter((key) => observed.has(key) && this.last(key) !== writes[key]);
      const seen = keys.filter((key) => observed.get(key) === writes[key]);
      if (seen.length > 0) this.#count(op, 'applied');
      else this.#forget(entry);
      if (seen.length > 0 && seen.length < keys.length) {
        faults.push(`half of "${op}" is there: of ${keys.join(', ')} only ${seen.join(', ')}`);
      }
    }
    this.#cutOff = [];
    this.#inThisLife = new Map();
    for (const [key, value] of observed) this.assume({ [key]: value });
    return faults;
  }

  /** The values that a key may have now. */
  values(key: string): unknown[] {
    return [...new Set(this.#entriesOf(key).map(({ writes }) => writes[key]))];
  }

  /** For each kind of operation: how many were acknowledged, refused and cut off, and how many of these were applied. */
  counts(): Record<string, Counts> {
    return Object.fromEntries(this.#counts);
  }

  /** The kinds of operations that were acknowledged less often since the restart than `minimum` demands. */
  missing(minimum: Readonly<Record<string, number>>): string[] {
    return Object.entries(minimum).flatMap(([op, least]) => ((this.#inThisLife.get(op) ?? 0) < least ? [op] : []));
  }

  #entriesOf(key: string): readonly Entry[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Whether a read between `since` and `until` may return the value. */
  #allows(key: string, value: unknown, { since, until }: { since: number; until: number }): boolean {
    const entries = this.#entriesOf(key);
    const isReplaced = (entry: Entry) =>
      entries.some(({ result, start, end }) => result === 'acknowledged' && start > entry.end && end < since);
    return entries.some((entry) => entry.writes[key] === value && entry.start <= until && !isReplaced(entry));
  }

  #forget(entry: Entry): void {
    for (const key of Object.keys(entry.writes)) {
      const others = this.#entriesOf(key).filter((other) => other !== entry);
      this.#byKey.set(key, others);
    }
  }

  #count(op: string, what: Outcome | 'applied'): void {
    const row = this.#counts.get(op) ?? {};
    row[what] = (row[what] ?? 0) + 1;
    this.#counts.set(op, row);
    if (what === 'acknowledged') this.#inThisLife.set(op, (this.#inThisLife.get(op) ?? 0) + 1);
  }
}
