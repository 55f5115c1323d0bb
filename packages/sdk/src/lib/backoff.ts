const longest = 60_000;

/** How long a client leaves a controller alone that has failed. Times are in milliseconds. */
export class Backoff {
  #failures = 0;
  /** When the controller asked for a pause, and how long. */
  #refusal = { at: 0, pause: 0 };

  succeeded(): void {
    this.#failures = 0;
  }

  /** The pause after one more failure. `retryAfter`: the seconds that the controller has asked for. */
  failed(retryAfter: number | null, now: number): number {
    this.#failures += 1;
    // Clients that were refused together must not come back together.
    const jitter = 1 + Math.random() / 4;
    const pause = jitter * 1_000 * (retryAfter ?? 0);
    this.#refusal = { at: now, pause };
    return pause || jitter * Math.min(longest, 500 * 2 ** this.#failures);
  }

  /** What is left of the pause that the controller has asked for: an event must not shorten it. */
  left(now: number): number {
    const { at, pause } = this.#refusal;
    const passed = now - at;
    // A clock that was set back does not make it longer.
    return passed < 0 ? 0 : pause - passed;
  }
}
