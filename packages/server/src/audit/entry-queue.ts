// Not the global one: the fake timers of a test set that clock.
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { storeUnavailable } from '../storage/database/unavailable.ts';
import type { NewEntry } from './entry.ts';
import type { EntryWriter } from './entry-writer.ts';

/** Entries that may wait. One more is refused, because the database does not keep up or cannot be reached. */
const maxWaiting = 10_000;
/** Entries of one transaction: others must not wait for long for the end of the chain. */
const maxGroup = 500;
/**
 * A transaction costs far more than an entry, so groups keep a distance: from the start of one to the start of the next passes a
 * multiple of the time that the first took. After the smaller multiple, the next group begins as soon as the event loop is idle:
 * when all clients wait for their entries, no further request comes. After the larger one, it begins in any case.
 */
const [leastRest, longestRest] = [1.5, 6];
/** Milliseconds. A group that took longer counts as one of this time. */
const longestTime = 4;
/** A turn of the event loop that takes fewer milliseconds did nothing. */
const idleTurn = 0.03;

interface Waiting {
  readonly entry: NewEntry;
  /** Milliseconds, by the clock of `performance`. */
  readonly since: number;
  readonly written: PromiseWithResolvers<void>;
}

/** A group that was written, in milliseconds by the clock of `performance`. */
interface Written {
  readonly beganAt: number;
  readonly time: number;
}

/** Writes entries that belong to no transaction. All that wait share the next one, so a burst costs few flushes to the disk. */
export class EntryQueue {
  readonly #writer: EntryWriter;
  #waiting: Waiting[] = [];
  /** What is being written. */
  #group: readonly Waiting[] = [];
  #isRunning = false;
  #lastGroup: Written = { beganAt: Number.NEGATIVE_INFINITY, time: 0 };

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
      await rest(this.#lastGroup);
      const beganAt = performance.now();
      const group = this.#waiting.splice(0, maxGroup);
      this.#group = group;
      try {
        const entries = group.map(({ entry }) => entry);
        await this.#writer.write(entries);
        for (const { written } of group) written.resolve();
      } catch (error) {
        for (const { written } of group) written.reject(error);
      }
      this.#lastGroup = { beganAt, time: performance.now() - beganAt };
    }
    this.#group = [];
    this.#isRunning = false;
  }
}

/** Resolves when the group after this one may begin. */
async function rest({ beganAt, time }: Written): Promise<void> {
  const passed = () => performance.now() - beganAt;
  const counted = Math.min(time, longestTime);
  if (passed() < counted * leastRest) await sleep(counted * leastRest - passed());
  // What else happens in this turn of the event loop comes along in any case.
  else await nextTurn();
  while (passed() < counted * longestRest && !(await isNextTurnIdle()));
}

async function isNextTurnIdle(): Promise<boolean> {
  const startedAt = performance.now();
  await nextTurn();
  return performance.now() - startedAt < idleTurn;
}
