import { setImmediate } from 'node:timers';

/** Milliseconds of work after which the event loop does something else. */
const slice = 2;
/** Steps in a slice: what they begin goes on behind it. */
const maxSteps = 16;
/** Milliseconds of pause for each millisecond of work: for the channel that has caused it, and for all of them. */
const [ownPause, commonPause] = [4, 1];
/** Milliseconds of these pauses that may collect before somebody waits. */
const [ownCredit, commonCredit] = [200, 4];

/** What a channel has to do. */
export interface FrameTask {
  /** Does the next step. `enough`: it has started work that goes on after it. `nothing`: there is no step, or it cannot be done now. */
  step(): 'more' | 'enough' | 'nothing';
}

/**
 * Shares the time of the event loop between the channels of routers and all else that the controller does. The channels take turns. After
 * a turn, a channel waits for a multiple of the time that the turn took, so it gets a fifth of the time at most. What it sends meanwhile
 * waits in its socket.
 */
export class FrameTurns {
  readonly #waiting = new Set<FrameTask>();
  /** When the next turn of a channel may begin, in milliseconds of `performance.now()`. */
  readonly #notBefore = new WeakMap<FrameTask, number>();
  #restsUntil = 0;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;

  /** A channel has something to do. */
  add(work: FrameTask): void {
    this.#waiting.add(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isRunning) return;
    clearTimeout(this.#timer);
    const now = performance.now();
    let soonest = Number.POSITIVE_INFINITY;
    for (const work of this.#waiting) {
      const startsAt = Math.max(this.#notBefore.get(work) ?? 0, this.#restsUntil);
      if (startsAt <= now) {
        this.#run(work);
        return;
      }
      soonest = Math.min(soonest, startsAt);
    }
    if (soonest < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#schedule(), Math.ceil(soonest - now)).unref();
  }

  #run(work: FrameTask): void {
    this.#isRunning = true;
    let startedAt = 0;
    setImmediate(() => {
      startedAt = performance.now();
      this.#waiting.delete(work);
      // Behind the others.
      if (hasMore(work, startedAt)) this.#waiting.add(work);
    });
    // Nothing runs between the two but what the steps have begun.
    setImmediate(() => {
      const time = performance.now() - startedAt;
      const notBefore = Math.max(this.#notBefore.get(work) ?? 0, startedAt - ownCredit);
      this.#notBefore.set(work, notBefore + time * (1 + ownPause));
      this.#restsUntil = Math.max(this.#restsUntil, startedAt - commonCredit) + time * (1 + commonPause);
      this.#isRunning = false;
      this.#schedule();
    });
  }
}

function hasMore(work: FrameTask, startedAt: number): boolean {
  for (let steps = 0; steps < maxSteps && performance.now() - startedAt < slice; steps += 1) {
    const done = work.step();
    if (done !== 'more') return done === 'enough';
  }
  return true;
}
