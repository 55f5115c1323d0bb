/** Milliseconds of work above which a step is expensive. A usual chain takes less than one. */
export const expensive = 4;
/** How many times as long as an expensive step took its address waits, and how many times the expensive steps of all others. */
const [ownPause, commonPause] = [100, 10];
/** Milliseconds that an address waits after a handshake that was refused. */
const refusalPause = 1_000;
/** Steps of one address that may wait. */
const maxWaiting = 1_000;

interface Step {
  readonly run: () => void;
  /** Milliseconds that it takes, as far as the client decides it. */
  readonly work: number;
}

interface Line {
  readonly steps: Step[];
  /** Milliseconds of `performance.now()`. */
  readonly notBefore: number;
}

/**
 * The steps of handshakes. Each runs to its end on the main thread, so a turn of the event loop has one of them, behind the
 * requests that have arrived. The addresses take turns. After an expensive step its address waits, and so do the expensive steps
 * of others.
 */
export class HandshakeTurns {
  readonly #lines = new Map<string, Line>();
  /** Milliseconds of `performance.now()`. */
  #nextExpensive = 0;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  /** Runs a step in its turn. Returns `false` when too many of this address wait. */
  add(address: string, step: Step): boolean {
    const line = this.#lines.get(address) ?? { steps: [], notBefore: 0 };
    if (line.steps.length === maxWaiting) return false;
    line.steps.push(step);
    this.#lines.set(address, line);
    this.#schedule();
    return true;
  }

  /** Lets an address wait, because one of its handshakes was refused. */
  refuse(address: string): void {
    const steps = this.#lines.get(address)?.steps ?? [];
    this.#lines.set(address, { steps, notBefore: performance.now() + refusalPause });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [address, { steps, notBefore }] of this.#lines) {
      const isExpensive = (steps[0]?.work ?? 0) > expensive;
      const startsAt = isExpensive ? Math.max(notBefore, this.#nextExpensive) : notBefore;
      if (startsAt > now) {
        next = Math.min(next, startsAt);
        continue;
      }
      this.#lines.delete(address);
      const step = steps.shift();
      if (!step) continue;
      const wait = isExpensive ? step.work * ownPause : 0;
      if (isExpensive) this.#nextExpensive = now + step.work * commonPause;
      // Behind the others.
      if (steps.length > 0 || wait > 0) this.#lines.set(address, { steps, notBefore: now + wait });
      step.run();
      this.#schedule();
      return;
    }
    clearTimeout(this.#timer);
    if (next < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#turn(), next - now).unref();
  }
}
