/** Timers that end together. None of them keeps the process alive. */
export class Timers {
  readonly #running = new Set<NodeJS.Timeout>();

  /** Milliseconds. Returns a function that cancels it. */
  after(delay: number, run: () => void): () => void {
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      run();
    }, delay).unref();
    return this.#keep(timer);
  }

  every(interval: number, run: () => void): () => void {
    return this.#keep(setInterval(run, interval).unref());
  }

  clear(): void {
    for (const timer of this.#running) clearTimeout(timer);
    this.#running.clear();
  }

  #keep(timer: NodeJS.Timeout): () => void {
    this.#running.add(timer);
    return () => {
      clearTimeout(timer);
      this.#running.delete(timer);
    };
  }
}
