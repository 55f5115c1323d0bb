import { setImmediate } from 'node:timers';

/** Milliseconds of work above which a step is expensive. A usual chain takes less than one. */
export const expensive = 4;
/**
 * Milliseconds of pause for each millisecond of an expensive step: for its address, and for the expensive steps of all
 * addresses.
 */
const [ownPause, commonPause] = [100, 10];
/** The same for any other step of an unknown address: it gets a fifth of the time at most. */
const unknownPause = 4;
/** Milliseconds of these pauses that an address may collect before it waits: some dozens of clients may connect at once. */
const credit = 200;
/** Milliseconds that an address waits after a handshake that was refused. */
const refusalPause = 1_000;
/** Steps of one address that may wait. */
const maxWaiting = 1_000;

interface Step {
  readonly run: () => void;
  /** Milliseconds that OpenSSL takes for the certificates of the client. */
  readonly work: number;
  /**
   * Whether another step of this handshake has run. Such a step goes first, so that handshakes finish instead of all waiting.
   */
  readonly isBegun: boolean;
}

/**
 * The steps of handshakes. Each step blocks the main thread, so each turn of the event loop runs one of them, after the
 * requests that have arrived. The addresses take turns. After a step, an unknown address waits a multiple of the time
 * that the step took. After an expensive step it waits longer, and so do the expensive steps of others.
 */
export class HandshakeTurns {
  readonly #isTrusted: (address: string) => boolean;
  readonly #lines = new Map<string, Step[]>();
  /**
   * When the next step of an address may run. An address without an entry, or with a time more than `credit` ago, need not
   * wait.
   */
  readonly #notBefore = new Map<string, number>();
  /** Milliseconds of `performance.now()`, as all times here. */
  #nextExpensive = 0;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(isTrusted: (address: string) => boolean) {
    this.#isTrusted = isTrusted;
  }

  /** Runs a step in its turn. Returns `false` when too many steps of this address wait. */
  add(address: string, step: Step): boolean {
    const line = this.#lines.get(address) ?? [];
    if (line.length >= maxWaiting && !step.isBegun) return false;
    if (step.isBegun) line.unshift(step);
    else line.push(step);
    this.#lines.set(address, line);
    this.#schedule();
    return true;
  }

  /** Lets an address wait, because one of its handshakes was refused. */
  refuse(address: string): void {
    this.#pause(address, performance.now() + refusalPause);
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
    for (const [address, steps] of this.#lines) {
      const [step] = steps;
      if (!step) continue;
      const notBefore = this.#notBefore.get(address) ?? 0;
      const startsAt = step.work > expensive ? Math.max(notBefore, this.#nextExpensive) : notBefore;
      if (startsAt > now) {
        next = Math.min(next, startsAt);
        continue;
      }
      steps.shift();
      this.#lines.delete(address);
      // The address goes behind the others.
      if (steps.length > 0) this.#lines.set(address, steps);
      this.#run(address, step);
      this.#schedule();
      return;
    }
    clearTimeout(this.#timer);
    if (next < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#turn(), Math.ceil(next - now)).unref();
  }

  #run(address: string, { run, work }: Step): void {
    const start = performance.now();
    if (work > expensive) {
      this.#nextExpensive = start + work * commonPause;
      this.#pause(address, start + work * ownPause);
    }
    run();
    if (work > expensive || this.#isTrusted(address)) return;
    // OpenSSL gets the bytes in the next tick.
    process.nextTick(() => {
      const now = performance.now();
      // Certificates that take longer are expensive, so this was something else.
      const time = Math.min(now - start, expensive);
      this.#pause(address, Math.max(this.#notBefore.get(address) ?? 0, now - credit) + time * unknownPause);
    });
  }

  #pause(address: string, notBefore: number): void {
    const oldest = performance.now() - credit;
    for (const [known, time] of this.#notBefore) {
      if (time > oldest) break;
      this.#notBefore.delete(known);
    }
    this.#notBefore.delete(address);
    this.#notBefore.set(address, notBefore);
  }
}
