import { storeUnavailable } from '../database/unavailable.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import { appendEntries } from './append-entries.ts';
import type { NewEntry } from './entry.ts';

/** Entries that may wait. One more is refused, because the database does not keep up or cannot be reached. */
const maxWaiting = 10_000;
/** Entries of one transaction: others must not wait for long for the end of the chain. */
const maxGroup = 500;

interface Waiting {
  readonly entry: NewEntry;
  readonly written: PromiseWithResolvers<void>;
}

/** Writes entries that belong to no transaction. All that wait share the next one, so a burst costs few flushes to the disk. */
export class EntryQueue {
  readonly #entities: Pick<EntityStore, 'dialect' | 'sql' | 'transaction'>;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(entities: Pick<EntityStore, 'dialect' | 'sql' | 'transaction'>) {
    this.#entities = entities;
  }

  /**
   * Resolves when the entry is written.
   *
   * @throws ApiError `STORE_UNAVAILABLE` when it cannot be written, or too many wait
   */
  write(entry: NewEntry): Promise<void> {
    if (this.#waiting.length >= maxWaiting) throw storeUnavailable(new Error('too many entries of the audit log wait'));
    const written = Promise.withResolvers<void>();
    this.#waiting.push({ entry, written });
    if (!this.#isRunning) void this.#run();
    return written.promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // What else happens in this turn of the event loop comes along.
      await new Promise((resolve) => setImmediate(resolve));
      const group = this.#waiting.splice(0, maxGroup);
      try {
        const entries = group.map(({ entry }) => entry);
        await this.#entities.transaction((tx) => appendEntries(this.#entities, tx, entries));
        for (const { written } of group) written.resolve();
      } catch (error) {
        for (const { written } of group) written.reject(error);
      }
    }
    this.#isRunning = false;
  }
}
