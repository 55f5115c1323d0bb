import type { Logger } from '../core/log/log.ts';
import type { LiveRouter } from './live-router.ts';

/** Most types of messages of one router that get a line in the log. */
const mostLines = 20;

interface UnknownMessagesOptions {
  readonly log: Logger;
  /** Counts them. */
  readonly count: (by: number) => void;
}

/** Counts the messages that no handler takes. Each type is logged once for each connection of a router. */
export class UnknownMessages {
  readonly #parts: UnknownMessagesOptions;
  readonly #logged = new WeakMap<LiveRouter, Set<number>>();

  constructor(parts: UnknownMessagesOptions) {
    this.#parts = parts;
  }

  record(router: LiveRouter, { type, length }: { readonly type: number; readonly length: number }): void {
    const { log, count } = this.#parts;
    count(1);
    const logged = this.#logged.get(router) ?? new Set();
    this.#logged.set(router, logged);
    if (logged.has(type) || logged.size >= mostLines) return;
    logged.add(type);
    const { version } = router.hello.version;
    log.info({ router: router.id, version, type, length }, 'a message of a router is not known, and is dropped');
  }
}
