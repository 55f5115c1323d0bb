import type { StoredEntry } from './entry.ts';
import { firstHash, hashOf } from './entry.ts';
import type { SignedPoints } from './signed-points.ts';

/** Follows the chain from one entry to the next, and reports where it is broken. */
export class ChainWalk {
  readonly #points: SignedPoints;
  readonly #report: (sequence: number, problem: string) => void;
  #sequence = 0;
  /** `null`: unknown, because entries are missing. */
  #hash: string | null = firstHash;
  count = 0;
  first: number | null = null;

  constructor(points: SignedPoints, report: (sequence: number, problem: string) => void) {
    this.#points = points;
    this.#report = report;
  }

  get last(): number | null {
    return this.count === 0 ? null : this.#sequence;
  }

  /** Checks the next entry. */
  async visit(entry: StoredEntry): Promise<void> {
    const { sequence } = entry;
    if (sequence !== this.#sequence + 1) await this.#skip(sequence);
    if (this.#hash !== null && hashOf(this.#hash, entry) !== entry.hash) {
      this.#report(sequence, 'was changed, swapped or inserted: its hash does not follow from the entry before');
    }
    this.#points.compare(sequence, entry.hash);
    this.count += 1;
    this.first ??= sequence;
    this.#sequence = sequence;
    this.#hash = entry.hash;
  }

  /** Checks that the last entry is that of the head. */
  async end(head: Pick<StoredEntry, 'sequence' | 'hash'>): Promise<void> {
    // All entries may have been removed because of their age.
    if (head.sequence > this.#sequence) await this.#skip(head.sequence + 1);
    if (this.#hash !== null && this.#hash !== head.hash) {
      this.#report(head.sequence, 'is the end, but the head of the log has another hash');
    }
  }

  /** Entries before this one are not there: they were removed because of their age, or by somebody. */
  async #skip(next: number): Promise<void> {
    const anchor = await this.#points.anchorAt(next - 1);
    if (!anchor) {
      const missing = next - this.#sequence === 2 ? 'is missing' : `and those up to ${next - 1} are missing`;
      this.#report(this.#sequence + 1, missing);
    }
    this.#sequence = next - 1;
    this.#hash = anchor?.hash ?? null;
  }
}
