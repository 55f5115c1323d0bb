import type { Logger } from '../core/log/log.ts';

/** Lines about refused connections in a period. Unauthenticated clients can connect at any rate. */
const mostLines = 20;
/** Milliseconds. */
const period = 60_000;

/** Logs connections that were refused: the first ones of a minute, and then the number of the others. */
export class RefusedRouters {
  readonly #log: Logger;
  #lines = 0;
  #unsaid = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  record(address: string | undefined, reason: string): void {
    this.#timer ??= setTimeout(() => this.close(), period).unref();
    this.#lines += 1;
    if (this.#lines <= mostLines) this.#log.info({ address, reason }, 'a router was refused');
    else this.#unsaid += 1;
  }

  /** Logs the number of those that have no line. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#unsaid > 0) this.#log.info({ refused: this.#unsaid }, 'more routers were refused');
    this.#timer = null;
    this.#lines = 0;
    this.#unsaid = 0;
  }
}
