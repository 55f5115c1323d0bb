/** What became of a question to a store. */
export interface HealthCheck {
  /** Of the store: `entities`, `sessions`. */
  readonly id: string;
  readonly healthy: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds. */
  readonly duration: number;
}

export interface HealthOptions {
  /** Asks each store something small. It rejects when the store does not work. */
  readonly stores: Readonly<Record<string, () => Promise<unknown>>>;
  readonly clock: () => number;
}

/** Milliseconds that a store may take, and for which an answer counts. */
const patience = 2_000;
const maxAge = 1_000;

/** Whether the controller can serve. However many ask, each store is asked once a second at most. */
export class Health {
  readonly #options: HealthOptions;
  #checking: Promise<readonly HealthCheck[]> | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isServing = false;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** False before the controller listens, and from the moment when it begins to stop. */
  get isServing(): boolean {
    return this.#isServing;
  }

  set isServing(isServing: boolean) {
    this.#isServing = isServing;
  }

  /** Asks all stores. Never rejects. */
  check(): Promise<readonly HealthCheck[]> {
    if (this.#checking && performance.now() - this.#checkedAt < maxAge) return this.#checking;
    this.#checkedAt = performance.now();
    this.#checking = Promise.all(Object.entries(this.#options.stores).map(([id, ask]) => this.#ask(id, ask)));
    return this.#checking;
  }

  async #ask(id: string, ask: () => Promise<unknown>): Promise<HealthCheck> {
    const startedAt = performance.now();
    const timer = Promise.withResolvers<never>();
    const limit = setTimeout(() => timer.reject(new Error('no answer')), patience);
    const healthy = await Promise.race([ask(), timer.promise]).then(
      () => true,
      () => false,
    );
    clearTimeout(limit);
    return { id, healthy, at: this.#options.clock(), duration: performance.now() - startedAt };
  }
}
