/** Counts the moments at which what began before must not continue: the sign-outs of a client. */
export class Epoch {
  #count = 0;

  /** What began before this moment must not continue. */
  advance(): void {
    this.#count += 1;
  }

  /** Call it when something begins. It returns a function that says whether it may continue. */
  watch(): () => boolean {
    const before = this.#count;
    return () => this.#count === before;
  }
}
