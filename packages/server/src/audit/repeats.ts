import type { NewEntry } from './entry.ts';
import type { AuditSource } from './source-of.ts';

/** Entries of one source and event that differ from each other. Those beyond it are counted together. */
const maxDifferent = 10;
/**
 * Groups in memory, and characters of their details: of addresses, and of identities. When there are more, only the events are distinguished.
 * So unauthenticated clients with many addresses cannot hide what is done in the name of an identity.
 */
const maxGroups = 10_000;
const maxCharacters = 8 * 2 ** 20;

interface Group {
  /** Of entries that differ: what they have in common is left. */
  readonly isMixed: boolean;
  /** Who causes them. `null`: they are of many. */
  readonly source: AuditSource | null;
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
  #sizes = emptySizes();

  /**
   * Whether an entry must be written now. Otherwise it was counted.
   *
   * @param source who causes it
   */
  isFirst(entry: NewEntry, source: AuditSource): boolean {
    const { event, details } = entry;
    const kind = kindOf(entry, source);
    const key = keyOf(entry, kind);
    const known = this.#groups.get(key);
    if (known) return count(known, entry);
    const different = this.#different.get(kind) ?? 0;
    const size = this.#sizes[source.kind];
    const isFull = size.groups >= maxGroups || size.characters >= maxCharacters;
    const empty = { count: 0, since: '', last: entry };
    if (different < maxDifferent && !isFull) {
      this.#different.set(kind, different + 1);
      size.groups += 1;
      size.characters += details.length;
      this.#groups.set(key, { ...empty, isMixed: false, source });
      return true;
    }
    const rest = this.#different.has(kind) ? kind : JSON.stringify([source.kind, event]);
    const group = this.#groups.get(rest) ?? { ...empty, isMixed: true, source: rest === kind ? source : null };
    this.#groups.set(rest, group);
    return count(group, entry);
  }

  /** An entry that was the first could not be written. */
  forget(entry: NewEntry, source: AuditSource): void {
    const kind = kindOf(entry, source);
    const key = keyOf(entry, kind);
    if (this.#groups.get(key)?.count !== 0) return;
    this.#groups.delete(key);
    this.#different.set(kind, (this.#different.get(kind) ?? 1) - 1);
    const size = this.#sizes[source.kind];
    size.groups -= 1;
    size.characters -= entry.details.length;
  }

  /** Returns the entries of what was counted, and begins anew. */
  take(): readonly NewEntry[] {
    const counted = [...this.#groups.values()].filter((group) => group.count > 0);
    this.#groups = new Map();
    this.#different = new Map();
    this.#sizes = emptySizes();
    return counted.map(summary);
  }
}

const emptySizes = () => ({ address: { groups: 0, characters: 0 }, identity: { groups: 0, characters: 0 } });
const kindOf = ({ event, outcome }: NewEntry, { kind, id }: AuditSource) => JSON.stringify([kind, id, event, outcome]);
const keyOf = ({ identityId, entityType, entityId, details }: NewEntry, kind: string) =>
  JSON.stringify([kind, identityId, entityType, entityId, details]);

function count(group: Group, entry: NewEntry): false {
  group.count += 1;
  if (group.count === 1) group.since = entry.createdAt;
  group.last = group.source ? entry : { ...entry, identityId: null, ipAddress: null };
  return false;
}

function summary({ isMixed, source, count, since, last }: Group): NewEntry {
  if (count === 1) return last;
  if (isMixed)
    return { ...last, entityId: null, details: JSON.stringify({ count, since, ...(source && { source: source.id }) }) };
  return { ...last, details: JSON.stringify({ ...JSON.parse(last.details), count, since }) };
}
