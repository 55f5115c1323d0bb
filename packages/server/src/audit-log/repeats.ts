import type { NewEntry } from './entry.ts';

/** Entries of one source and event that differ from each other. Those beyond it are counted together. */
const maxDifferent = 10;
/** Groups in memory, and characters of their details. When there are more, only the events are told apart. */
const maxGroups = 10_000;
const maxCharacters = 16 * 2 ** 20;

interface Group {
  /** Of entries that differ: what they have in common is left. */
  readonly isMixed: boolean;
  count: number;
  since: string;
  last: NewEntry;
}

/**
 * Counts what somebody does again and again, so that it cannot fill the log. The first of equal entries is written at once. Those that
 * follow before `take` are one entry with their number.
 */
export class Repeats {
  #groups = new Map<string, Group>();
  /** Source and event → the number of different entries. */
  #different = new Map<string, number>();
  #characters = 0;

  /**
   * Whether an entry must be written now. Otherwise it was counted.
   *
   * @param source who causes it
   */
  isFirst(entry: NewEntry, source: string): boolean {
    const { event, details } = entry;
    const kind = kindOf(entry, source);
    const key = keyOf(entry, kind);
    const known = this.#groups.get(key);
    if (known) return count(known, entry);
    const different = this.#different.get(kind) ?? 0;
    const isFull = this.#groups.size >= maxGroups || this.#characters >= maxCharacters;
    if (different < maxDifferent && !isFull) {
      this.#different.set(kind, different + 1);
      this.#characters += details.length;
      this.#groups.set(key, { isMixed: false, count: 0, since: '', last: entry });
      return true;
    }
    const rest = this.#different.has(kind) ? kind : event;
    const group = this.#groups.get(rest) ?? { isMixed: true, count: 0, since: '', last: entry };
    this.#groups.set(rest, group);
    return count(group, entry, rest === event);
  }

  /** An entry that was the first could not be written. */
  forget(entry: NewEntry, source: string): void {
    const kind = kindOf(entry, source);
    const key = keyOf(entry, kind);
    if (this.#groups.get(key)?.count !== 0) return;
    this.#groups.delete(key);
    this.#different.set(kind, (this.#different.get(kind) ?? 1) - 1);
    this.#characters -= entry.details.length;
  }

  /** Returns the entries of what was counted, and begins anew. */
  take(): readonly NewEntry[] {
    const counted = [...this.#groups.values()].filter((group) => group.count > 0);
    this.#groups = new Map();
    this.#different = new Map();
    this.#characters = 0;
    return counted.map(summary);
  }
}

const kindOf = ({ event, outcome }: NewEntry, source: string) => JSON.stringify([source, event, outcome]);
const keyOf = ({ identityId, entityType, entityId, details }: NewEntry, kind: string) =>
  JSON.stringify([kind, identityId, entityType, entityId, details]);

function count(group: Group, entry: NewEntry, isOfAll = false): false {
  group.count += 1;
  if (group.count === 1) group.since = entry.createdAt;
  group.last = isOfAll ? { ...entry, identityId: null, ipAddress: null } : entry;
  return false;
}

function summary({ isMixed, count, since, last }: Group): NewEntry {
  if (count === 1) return last;
  if (isMixed) return { ...last, entityId: null, details: JSON.stringify({ count, since }) };
  return { ...last, details: JSON.stringify({ ...JSON.parse(last.details), count, since }) };
}
