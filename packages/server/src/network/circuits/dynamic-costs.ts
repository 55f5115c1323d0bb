/** What each open circuit of a terminator costs. */
const circuitCost = 2;
/** What a failed dial adds, and what a successful one takes back. */
const failureCost = 20;
const successCredit = 2;
/** Failures add up to this at most. */
const maxFailureCost = 16_383;
/** The largest dynamic cost that the wire shows. */
const maxCost = 65_535;

/** Milliseconds after which failures cost less. */
const recoveryStep = 60_000;
const minRecovery = 10;
/** Steps after which the recovery doubles. */
const doublingSteps = 5;
/** Terminators whose failures are remembered. */
const maxFailing = 100_000;

interface Failures {
  cost: number;
  /** Milliseconds: when the last dial failed. */
  readonly lastAt: number;
  /** Steps since then that are counted already. */
  steps: number;
}

/**
 * What the circuits and failed dials of a terminator add to its cost. So the circuits of a service spread over its terminators,
 * and a terminator that cannot be reached is chosen less often.
 *
 * Failures are forgotten: 10 of their cost each minute, and from the 20th minute after the last failure on twice as much every five
 * minutes. Times are milliseconds of a steady clock.
 */
export class DynamicCosts {
  /** The number of open circuits by terminator. */
  readonly #circuits = new Map<string, number>();
  /** By terminator; the one that failed last is at the end. */
  readonly #failures = new Map<string, Failures>();

  /** What is added to the cost of a terminator, at most 65535. */
  costOf(terminatorId: string, now: number): number {
    const circuits = this.#circuits.get(terminatorId) ?? 0;
    return Math.min(maxCost, circuits * circuitCost + (this.#failuresOf(terminatorId, now)?.cost ?? 0));
  }

  dialSucceeded(terminatorId: string, now: number): void {
    this.#circuits.set(terminatorId, (this.#circuits.get(terminatorId) ?? 0) + 1);
    const failures = this.#failuresOf(terminatorId, now);
    if (failures) failures.cost = Math.max(0, failures.cost - successCredit);
  }

  dialFailed(terminatorId: string, now: number): void {
    const cost = this.#failuresOf(terminatorId, now)?.cost ?? 0;
    this.#failures.delete(terminatorId);
    this.#failures.set(terminatorId, { cost: Math.min(maxFailureCost, cost + failureCost), lastAt: now, steps: 0 });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxFailing && oldest !== undefined) this.#failures.delete(oldest);
  }

  /** Takes back the cost of a circuit whose dial succeeded. */
  circuitRemoved(terminatorId: string): void {
    const circuits = (this.#circuits.get(terminatorId) ?? 0) - 1;
    if (circuits > 0) this.#circuits.set(terminatorId, circuits);
    else this.#circuits.delete(terminatorId);
  }

  /** Forgets a terminator that is gone. */
  remove(terminatorId: string): void {
    this.#circuits.delete(terminatorId);
    this.#failures.delete(terminatorId);
  }

  /** What is left of the failures of a terminator. Those that cost nothing any more are forgotten. */
  #failuresOf(terminatorId: string, now: number): Failures | undefined {
    const failures = this.#failures.get(terminatorId);
    if (!failures) return undefined;
    recover(failures, now);
    if (failures.cost > 0) return failures;
    this.#failures.delete(terminatorId);
    return undefined;
  }
}

function recover(failures: Failures, now: number): void {
  const due = Math.floor((now - failures.lastAt) / recoveryStep);
  while (failures.steps < due && failures.cost > 0) {
    failures.steps += 1;
    const credit = Math.max(minRecovery, 2 ** Math.floor(failures.steps / doublingSteps));
    failures.cost = Math.max(0, failures.cost - credit);
  }
}
