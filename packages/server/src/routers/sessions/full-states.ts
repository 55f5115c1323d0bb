import { RecentlyUsed } from '../../core/cache/recently-used.ts';
import type { Message } from '../channel/message.ts';
import type { LiveRouter } from '../live-router.ts';
import type { KnownSession } from './known-sessions.ts';
import { isFor } from './session-changes.ts';

const chunkSize = 100;
/** Sessions that are checked in one turn. */
const turnSize = 5_000;
/** Milliseconds between two full states over the same connection. */
const interval = 1_000;
const maxRouters = 10_000;
/** Milliseconds after its last part in which a router may still compare what it knows with a full state. */
const settleTime = 2_500;

interface FullStatesOptions {
  /** The sessions that live, for any router. */
  readonly known: { all(): Iterable<KnownSession> };
  /** A new id, greater than those before. */
  readonly newId: () => string;
  readonly message: (sessions: readonly KnownSession[], part: FullStatePart) => Message;
}

/** Which part of a full state a message is. */
export interface FullStatePart {
  readonly id: string;
  readonly sequence: number;
  readonly isLast: boolean;
}

/** Sends routers all API sessions that may use them, in parts. What a router knows beside them, it forgets. */
export class FullStates {
  readonly #parts: FullStatesOptions;
  readonly #wanted = new WeakSet<LiveRouter>();
  readonly #running = new WeakMap<LiveRouter, Promise<void>>();
  /** When the last part was sent over a connection. */
  readonly #sentAt = new WeakMap<LiveRouter, number>();
  /** By the id of a router, when it may get its next full state over another connection. So full states are at most half of the work. */
  readonly #nextAt = new RecentlyUsed<number>(maxRouters);

  constructor(parts: FullStatesOptions) {
    this.#parts = parts;
  }

  /** Resolves when a full state is sent that began after the call. Those who ask at the same time get one together. */
  async send(router: LiveRouter): Promise<void> {
    this.#wanted.add(router);
    const running = this.#running.get(router) ?? this.#run(router);
    this.#running.set(router, running);
    await running;
  }

  /** Whether a router may forget a session that it gets now, because its full state does not have it. */
  isSettling(router: LiveRouter): boolean {
    return (
      this.#running.has(router) ||
      performance.now() - (this.#sentAt.get(router) ?? Number.NEGATIVE_INFINITY) < settleTime
    );
  }

  /** Resolves when no full state is being sent. */
  async whenSent(router: LiveRouter): Promise<void> {
    await this.#running.get(router);
  }

  async #run(router: LiveRouter): Promise<void> {
    try {
      while (this.#wanted.delete(router) && router.channel.isOpen) {
        const rest = this.#mayBeginAt(router) - performance.now();
        if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest).unref());
        const work = await this.#send(router);
        const now = performance.now();
        this.#sentAt.set(router, now);
        this.#nextAt.set(router.id, now + Math.min(interval, work));
      }
    } finally {
      this.#running.delete(router);
    }
  }

  #mayBeginAt(router: LiveRouter): number {
    const sentAt = this.#sentAt.get(router);
    return sentAt === undefined ? (this.#nextAt.get(router.id) ?? 0) : sentAt + interval;
  }

  /**
   * The sessions change meanwhile, and the router gets that, too. So each part is read when it is sent; new ones
   * are in the last.
   *
   * @returns the milliseconds that the event loop was busy with it
   */
  async #send(router: LiveRouter): Promise<number> {
    const { known, newId, message } = this.#parts;
    let work = 0;
    const id = newId();
    const sessions = known.all()[Symbol.iterator]();
    for (let sequence = 0; ; ) {
      const startedAt = performance.now();
      const chunk: KnownSession[] = [];
      let isLast = false;
      for (let seen = 0; !isLast && chunk.length < chunkSize && seen < turnSize; seen += 1) {
        const next = sessions.next();
        if (next.done) isLast = true;
        else if (isFor(router, next.value)) chunk.push(next.value);
      }
      // Also when there is none: the router may know some.
      const isSent = chunk.length > 0 || isLast;
      const isEnd = isSent && (!router.send(message(chunk, { id, sequence, isLast })) || isLast);
      work += performance.now() - startedAt;
      if (isEnd) return work;
      if (isSent) sequence += 1;
      await router.channel.turn();
    }
  }
}

/** Milliseconds after which a session is sent again to a router that was settling. */
export const repeatAfter = settleTime;
