import type { Clock } from './clock.ts';

/** Milliseconds between two checks of the clock at most, because timers stop while a machine sleeps. */
const maxDelay = 30_000;
/** A timer that is so late fired after a sleep. */
const sleepTime = 5_000;

/** Runs something later, by the clock of the client. It notices that the machine has slept, and that the clock has jumped. */
export class SleepAwareTimer {
  readonly #clock: Clock;
  readonly #run: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #plannedFor = 0;
  /** Milliseconds of the wait that one timer is too short for. */
  #rest = 0;
  #isWaking = false;

  /** `run` asks `isDue` first: it also runs before the time has come. */
  constructor(clock: Clock, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Runs it after these milliseconds. */
  plan(delay: number): void {
    this.stop();
    const step = Math.min(delay, maxDelay);
    this.#rest = delay - step;
    this.#plannedFor = this.#clock() + step;
    this.#timer = setTimeout(this.#run, step);
    // The timer must not keep a Node process alive.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Something happened that many clients notice at once: the network is back, the machine woke up, the page is shown. */
  wake(): void {
    this.#isWaking = true;
    this.plan(Math.random() * 1_000);
  }

  /** The clock has jumped: no timer knows it. */
  jump(): void {
    this.#isWaking = true;
    this.#rest = 0;
  }

  /** Whether the time has come, when `left` milliseconds are missing by other reasons. Otherwise it plans the next check. */
  isDue(left: number): boolean {
    // Once: the timers of a hidden page are always late.
    const isAsleep = !this.#isWaking && this.#clock() - this.#plannedFor > sleepTime;
    this.#isWaking = false;
    const rest = Math.max(this.#rest, left);
    if (isAsleep) this.wake();
    else if (rest > 0) this.plan(rest);
    else return true;
    return false;
  }
}
