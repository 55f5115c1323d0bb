import { RecentlyUsed } from '../../core/cache/recently-used.ts';
import type { Said } from './peer-seal.ts';

/** Notes of one controller may overtake each other by so many: a note is sent again after an outage. */
const window = 10_000;
/** Controllers whose numbers are remembered, at least. */
const maxSenders = 1_000;

interface Numbers {
  greatest: number;
  readonly heard: Set<number>;
}

/** Remembers which notes were heard: nobody makes them count twice. */
export class ReceivedMessages {
  readonly #senders = new RecentlyUsed<Numbers>(maxSenders);

  /** False when this note was heard before, or is older than all that is remembered. */
  add({ from, number }: Pick<Said, 'from' | 'number'>): boolean {
    const numbers = this.#senders.get(from) ?? { greatest: number, heard: new Set() };
    if (number <= numbers.greatest - window || numbers.heard.has(number)) return false;
    numbers.heard.add(number);
    numbers.greatest = Math.max(numbers.greatest, number);
    for (const old of numbers.heard) {
      if (old > numbers.greatest - window) break;
      numbers.heard.delete(old);
    }
    this.#senders.set(from, numbers);
    return true;
  }
}
