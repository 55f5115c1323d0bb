import type { ClientState } from '../api/client-state.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import { authQueryError } from '../errors/auth-query-error.ts';
import { isEdgeApiError } from '../errors/error-guards.ts';
import { Backoff } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { isHidden, isOffline, onPage, onVisibility } from '../lib/page.ts';
import { SleepAwareTimer } from '../lib/sleep-aware-timer.ts';
import { isTemporary } from './is-temporary.ts';
import type { KnownServices, ListParts } from './service-list.ts';
import { ServiceList } from './service-list.ts';

/** Milliseconds between two polls at least. */
export const minInterval = 5_000;

/** What the watch needs of a client. */
export interface WatchParts extends ListParts {
  readonly options: Pick<EdgeClientOptions, 'keepAlive' | 'clock'>;
  readonly manager: ListParts['manager'] & { state(): ClientState };
  readonly events: {
    on(name: 'sessionChange' | 'stateChange', listener: () => void, options: { signal: AbortSignal }): unknown;
  };
  readonly clock: Clock;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/** Who waits for a list. */
interface Waiting {
  /** Version of the list that it has got last. 0: none yet. */
  readonly seen: number;
  /** Milliseconds. */
  readonly interval: number;
  /** Whether nobody has signed out since the iteration began. */
  readonly isWanted: () => boolean;
}

interface Waiter extends Waiting {
  readonly resolve: (list: KnownServices | null) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Polls while somebody waits for a newer list, once for all. Otherwise it has neither timers nor listeners, so it does not hold a client
 * that the application has dropped.
 */
export class ServiceWatch {
  readonly #parts: WatchParts;
  readonly #list: ServiceList;
  readonly #timer: SleepAwareTimer;
  readonly #backoff = new Backoff();
  readonly #waiters = new Set<Waiter>();
  /** Aborts when nobody waits any more. */
  #running = new AbortController();
  #poll: Promise<void> | undefined;
  /** When a poll succeeded last. */
  #polledAt = 0;
  /** The page is shown again, or the network is back: the interval does not count. */
  #isHurried = false;
  /** A poll was due while the session was partial. */
  #isDeferred = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#list = new ServiceList(parts);
    this.#timer = new SleepAwareTimer(parts.clock, () => this.#check());
  }

  /** Waits for a list that is newer than the one that was `seen`. `null`: somebody has signed out. Throws when a signal aborts. */
  async newer(waiting: Waiting, signals: readonly AbortSignal[]): Promise<KnownServices | null> {
    const { disposed, manager } = this.#parts;
    const all = [disposed, ...signals];
    for (const signal of all) signal.throwIfAborted();
    if (!waiting.isWanted()) return null;
    const known = this.#list.known();
    // Others have waited meanwhile.
    const isBehind = known && waiting.seen > 0 && waiting.seen < known.version;
    if (isBehind && known.token === manager.token()) return known;
    const done = new AbortController();
    let waiter: Waiter | undefined;
    try {
      return await new Promise((resolve, reject) => {
        for (const signal of all)
          signal.addEventListener('abort', () => reject(signal.reason), { signal: done.signal });
        waiter = { ...waiting, resolve, reject };
        this.#add(waiter);
      });
    } finally {
      done.abort();
      if (waiter) this.#remove(waiter);
    }
  }

  #add(waiter: Waiter): void {
    if (this.#waiters.size === 0) this.#start();
    this.#waiters.add(waiter);
    this.#timer.plan(this.#untilDue());
  }

  #remove(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.size > 0) return;
    this.#running.abort();
    this.#timer.stop();
  }

  #start(): void {
    const { events, options } = this.#parts;
    this.#running = new AbortController();
    const { signal } = this.#running;
    for (const event of ['sessionChange', 'stateChange'] as const) {
      events.on(event, () => this.#sessionChanged(), { signal });
    }
    onVisibility(() => this.#hurry(), signal);
    onPage('online', () => this.#hurry(), signal);
    options.clock?.onJump?.((waitUntil) => waitUntil(this.#jump()), signal);
  }

  #hurry(): void {
    this.#isHurried = true;
    this.#timer.wake();
  }

  async #jump(): Promise<void> {
    this.#timer.jump();
    await this.#check();
  }

  #sessionChanged(): void {
    const { manager } = this.#parts;
    for (const { isWanted, resolve } of this.#waiters) if (!isWanted()) resolve(null);
    // A poll finds out by itself.
    if (this.#poll) return;
    const state = manager.state();
    if (hasEnded(state)) this.#fail(authQueryError('NO_SESSION'));
    else if (state !== 'partial' && (this.#isDeferred || this.#list.known()?.token !== manager.token()))
      this.#timer.plan(0);
  }

  /** Polls when it is time. Otherwise it plans the next check. */
  #check(): Promise<void> | undefined {
    const { clock, manager } = this.#parts;
    if (this.#poll || this.#waiters.size === 0) return this.#poll;
    this.#isDeferred = manager.state() === 'partial';
    // An event continues.
    if (this.#isDeferred || isOffline() || this.#isPaused()) return undefined;
    if (!this.#timer.isDue(Math.max(this.#untilDue(), this.#backoff.left(clock())))) return undefined;
    this.#poll = this.#pollOnce();
    return this.#poll;
  }

  /** In a hidden page only the first list is read. */
  #isPaused(): boolean {
    return isHidden() && this.#parts.options.keepAlive !== 'always' && ![...this.#waiters].some(isNew);
  }

  /** Milliseconds until the next poll. */
  #untilDue(): number {
    const { clock, manager } = this.#parts;
    const waiters = [...this.#waiters];
    if (waiters.some(isNew) || this.#list.known()?.token !== manager.token()) return 0;
    const interval = this.#isHurried ? minInterval : Math.min(...waiters.map((waiter) => waiter.interval));
    const passed = clock() - this.#polledAt;
    // A clock that was set back does not make the pause longer.
    return passed < 0 ? 0 : Math.max(0, interval - passed);
  }

  async #pollOnce(): Promise<void> {
    const { signal } = this.#running;
    let pause = 0;
    try {
      await this.#list.refresh({ signal });
      this.#polledAt = this.#parts.clock();
      this.#isHurried = false;
      this.#backoff.succeeded();
      this.#deliver();
    } catch (error) {
      // Nobody waits for this poll any more. Others may have come.
      if (!signal.aborted) pause = this.#failed(error);
    }
    this.#poll = undefined;
    if (this.#waiters.size > 0) this.#timer.plan(Math.max(pause, this.#untilDue()));
  }

  #deliver(): void {
    const known = this.#list.known();
    if (known) for (const { seen, resolve } of this.#waiters) if (seen < known.version) resolve(known);
  }

  /** Milliseconds until the next try. */
  #failed(error: unknown): number {
    const { clock, manager } = this.#parts;
    const isOver = hasEnded(manager.state());
    if (!isOver && isTemporary(error))
      return this.#backoff.failed(isEdgeApiError(error) ? error.retryAfter : null, clock());
    const isUnknown = isOver && isEdgeApiError(error, 'UNAUTHORIZED');
    this.#fail(isUnknown ? authQueryError('NO_SESSION', error) : error);
    return 0;
  }

  #fail(reason: unknown): void {
    for (const { isWanted, resolve, reject } of this.#waiters) {
      if (isWanted()) reject(reason);
      else resolve(null);
    }
  }
}

const isNew = ({ seen }: Waiter): boolean => seen === 0;

const hasEnded = (state: ClientState): boolean => state === 'expired' || state === 'signed-out';
