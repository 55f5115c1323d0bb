/** Milliseconds that a budget has when it was not used for long. */
const maxBudget = 4_000;
/** What comes back in each millisecond. */
const refill = 0.2;
const maxKept = 10_000;

interface Budget {
  readonly left: number;
  readonly at: number;
}

/** The time that each identity may use. Times are milliseconds. What was used too much must come back first. */
export class TimeBudgets {
  readonly #budgets = new Map<string, Budget>();

  /** Milliseconds until an identity may use time again. 0: now. */
  waitOf(identityId: string): number {
    const left = this.#leftOf(identityId);
    return left > 0 ? 0 : Math.ceil((1 - left) / refill);
  }

  spend(identityId: string, time: number): void {
    const left = this.#leftOf(identityId) - time;
    this.#budgets.delete(identityId);
    this.#budgets.set(identityId, { left, at: performance.now() });
    // The least recently used come first.
    for (const [id] of this.#budgets) {
      if (this.#budgets.size <= maxKept && this.#leftOf(id) < maxBudget) break;
      this.#budgets.delete(id);
    }
  }

  #leftOf(identityId: string): number {
    const { left, at } = this.#budgets.get(identityId) ?? { left: maxBudget, at: 0 };
    return Math.min(maxBudget, left + (performance.now() - at) * refill);
  }
}
