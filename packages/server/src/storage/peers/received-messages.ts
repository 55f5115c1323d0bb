import { RecentlyUsed } from '../../core/cache/recently-used.ts';
import type { Said } from './peer-seal.ts';

/** Messages of one controller may overtake each other by so many: a message is sent again after an outage. */
const window = 10_000;
/** Controllers whose numbers are remembered, at least. */
const maxSenders = 1_000;

interface Numbers {
  greatest: number;
  readonly received: Set<number>;
}

/** Remembers which messages were received: nobody makes them count twice. */
export class ReceivedMessages {
  readonly #senders = new RecentlyUsed<Numbers>(maxSenders);

  /** False when this message was received before, or is older than all that is remembered. */
  add({ from, number }: Pick<Said, 'from' | 'number'>): boolean {
    const numbers = this.#senders.get(from) ?? { greatest: number, received: new Set() };
    if (number <= numbers.greatest - window || numbers.received.has(number)) return false;
    numbers.received.add(number);
    numbers.greatest = Math.max(numbers.greatest, number);
    for (const old of numbers.received) {
      if (old > numbers.greatest - window) break;
      numbers.received.delete(old);
    }
    this.#senders.set(from, numbers);
    return true;
  }
}
