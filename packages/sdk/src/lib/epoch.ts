/** Counts the sign-outs of a client. What began before one must not continue after it. */
export class Epoch {
  #count = 0;

  /** Stops everything that began before. */
  advance(): void {
    this.#count += 1;
  }

  /** Call it when something begins. The returned function says whether this may continue. */
  watch(): () => boolean {
    const before = this.#count;
    return () => this.#count === before;
  }
}
