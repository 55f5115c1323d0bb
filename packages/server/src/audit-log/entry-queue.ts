import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { storeUnavailable } from '../database/unavailable.ts';
import type { NewEntry } from './entry.ts';
import type { EntryWriter } from './entry-writer.ts';

/** Entries that may wait. One more is refused, because the database does not keep up or cannot be reached. */
const maxWaiting = 10_000;
/** Entries of one transaction: others must not wait for long for the end of the chain. */
const maxGroup = 500;
/**
 * Milliseconds from the beginning of a group to that of the next: a transaction costs far more than an entry. Between the two, a group
 * begins when the event loop has nothing else to do: all clients may wait for their entries, and then nobody sends another request.
 */
const [leastRest, longestRest] = [4, 12];
/** A turn of the event loop that takes fewer milliseconds did nothing. */
const idleTurn = 0.03;

interface Waiting {
  readonly entry: NewEntry;
  /** By the clock of `performance`. */
  readonly since: number;
  readonly written: PromiseWithResolvers<void>;
}

/** What passes between two groups. Timers measure it, because the fake timers of a test set the clock of `performance`. */
interface Rest {
  readonly least: Promise<void>;
  isOver: boolean;
}

/** Writes entries that belong to no transaction. All that wait share the next one, so a burst costs few flushes to the disk. */
export class EntryQueue {
  readonly #writer: EntryWriter;
  #waiting: Waiting[] = [];
  /** What is being written. */
  #group: readonly Waiting[] = [];
  #isRunning = false;
  #rest: Rest = { least: Promise.resolve(), isOver: true };

  constructor(writer: EntryWriter) {
    this.#writer = writer;
  }

  /**
   * Resolves when the entry is written.
   *
   * @throws ApiError `STORE_UNAVAILABLE` when it cannot be written, or too many wait
   */
  write(entry: NewEntry): Promise<void> {
    if (this.#waiting.length >= maxWaiting) throw storeUnavailable(new Error('too many entries of the audit log wait'));
    const written = Promise.withResolvers<void>();
    this.#waiting.push({ entry, since: performance.now(), written });
    if (!this.#isRunning) void this.#run();
    return written.promise;
  }

  load(): { readonly waiting: number; readonly lag: number } {
    const [first] = [...this.#group, ...this.#waiting.slice(0, 1)];
    const lag = first ? (performance.now() - first.since) / 1_000 : 0;
    return { waiting: this.#group.length + this.#waiting.length, lag };
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // What else happens in this turn of the event loop comes along in any case.
      await nextTurn();
      await this.#rest.least;
      while (!this.#rest.isOver && !(await isNextTurnIdle()));
      this.#rest = beginRest();
      const group = this.#waiting.splice(0, maxGroup);
      this.#group = group;
      try {
        const entries = group.map(({ entry }) => entry);
        await this.#writer.write(entries);
        for (const { written } of group) written.resolve();
      } catch (error) {
        for (const { written } of group) written.reject(error);
      }
    }
    this.#group = [];
    this.#isRunning = false;
  }
}

function beginRest(): Rest {
  const rest: Rest = { least: sleep(leastRest), isOver: false };
  void sleep(longestRest).then(() => {
    rest.isOver = true;
  });
  return rest;
}

async function isNextTurnIdle(): Promise<boolean> {
  const startedAt = performance.now();
  await nextTurn();
  return performance.now() - startedAt < idleTurn;
}
