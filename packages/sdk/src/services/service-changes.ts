import type { ServiceDetail } from '../api/generated/entities.ts';
import type { ServiceChangesOptions } from '../api/services.ts';
import { checkNames } from '../lib/check-names.ts';
import { createQueue } from '../lib/queue.ts';
import type { ServiceWatch } from './service-watch.ts';
import { minInterval } from './service-watch.ts';

type Result = IteratorResult<readonly ServiceDetail[], undefined>;

const end: Result = { done: true, value: undefined };

/** One iteration over the changes of the services. */
export class ServiceChanges implements AsyncIterator<readonly ServiceDetail[], undefined> {
  readonly #watch: ServiceWatch;
  readonly #signals: readonly AbortSignal[];
  readonly #interval: number;
  readonly #isWanted: () => boolean;
  readonly #over = new AbortController();
  readonly #queue = createQueue();
  #seen = 0;

  /** `isWanted`: whether nobody has signed out since the iteration was asked for. Throws `TypeError` for invalid options. */
  constructor(watch: ServiceWatch, options: ServiceChangesOptions, isWanted: () => boolean) {
    checkNames(options, ['signal', 'interval'], 'option');
    const { signal, interval = 60_000 } = options;
    if (!(interval >= minInterval)) {
      throw new TypeError(`interval must be at least ${minInterval} milliseconds, got ${interval}`);
    }
    this.#watch = watch;
    this.#signals = [this.#over.signal, ...(signal ? [signal] : [])];
    this.#interval = interval;
    this.#isWanted = isWanted;
  }

  next(): Promise<Result> {
    return this.#queue('', () => this.#next());
  }

  /** Ends it, also while a list is awaited. */
  async return(): Promise<Result> {
    this.#over.abort();
    return end;
  }

  async #next(): Promise<Result> {
    const over = this.#over;
    if (over.signal.aborted) return end;
    try {
      const waiting = { seen: this.#seen, interval: this.#interval, isWanted: this.#isWanted };
      const newer = await this.#watch.newer(waiting, this.#signals);
      if (newer !== null) {
        this.#seen = newer.version;
        return { done: false, value: newer.services };
      }
    } catch (error) {
      if (!over.signal.aborted) {
        over.abort();
        throw error;
      }
    }
    over.abort();
    return end;
  }
}
