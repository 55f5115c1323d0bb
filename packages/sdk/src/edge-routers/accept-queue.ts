import type { EdgeConnection } from './edge-connection.ts';

type Taken = IteratorResult<EdgeConnection, undefined>;

interface Taker {
  readonly resolve: (taken: Taken) => void;
  readonly reject: (error: unknown) => void;
}

/** Connections that wait until the application takes them, and takers that wait for connections. */
export class AcceptQueue {
  readonly #limit: number;
  readonly #waiting = new Set<EdgeConnection>();
  #takers: Taker[] = [];
  /** `undefined` until no more come. */
  #end: { readonly error: unknown } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param others connections that may come before the next one */
  hasRoomBehind(others: number): boolean {
    const room = this.#takers.length + this.#limit - this.#waiting.size;
    return this.#end === undefined && room > others;
  }

  add(connection: EdgeConnection): void {
    const taker = this.#takers.shift();
    if (taker) {
      taker.resolve({ done: false, value: connection });
      return;
    }
    this.#waiting.add(connection);
    connection.once('close', () => this.#waiting.delete(connection));
  }

  async take(): Promise<Taken> {
    const [connection] = this.#waiting;
    if (connection) {
      this.#waiting.delete(connection);
      return { done: false, value: connection };
    }
    if (!this.#end) return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
    const { error } = this.#end;
    // Once: an iteration that is asked again is over.
    this.#end = { error: undefined };
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  /** No more connections come. Those that wait are closed, and the takers get the error, or an end without one. */
  end(error?: unknown): void {
    if (this.#end) return;
    const [first, ...others] = this.#takers;
    this.#end = { error: first ? undefined : error };
    this.#takers = [];
    if (error === undefined) first?.resolve({ done: true, value: undefined });
    else first?.reject(error);
    for (const { resolve } of others) resolve({ done: true, value: undefined });
    for (const connection of this.#waiting) connection.destroy();
  }
}
