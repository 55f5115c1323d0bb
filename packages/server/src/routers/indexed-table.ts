/** Items by their ids, and by some of their members. */
export class IndexedTable<Item extends { readonly id: string } & Readonly<Record<Key, string>>, Key extends string> {
  readonly #items = new Map<string, Item>();
  readonly #by: ReadonlyMap<Key, Map<string, Set<string>>>;

  /** `keys`: the members to look items up by. */
  constructor(keys: readonly Key[]) {
    this.#by = new Map(keys.map((key) => [key, new Map()]));
  }

  get size(): number {
    return this.#items.size;
  }

  get(id: string): Item | undefined {
    return this.#items.get(id);
  }

  all(): Iterable<Item> {
    return this.#items.values();
  }

  /** Adds an item, or puts it in the place of the one with its id, also for those who read all. */
  set(item: Item): void {
    this.#unlist(item.id);
    this.#items.set(item.id, item);
    for (const [key, index] of this.#by) {
      const ids = index.get(item[key]) ?? new Set();
      index.set(item[key], ids.add(item.id));
    }
  }

  delete(id: string): Item | null {
    const item = this.#unlist(id);
    this.#items.delete(id);
    return item;
  }

  /** The items with this member. */
  of(key: Key, value: string): readonly Item[] {
    return [...(this.#by.get(key)?.get(value) ?? [])].flatMap((id) => this.#items.get(id) ?? []);
  }

  #unlist(id: string): Item | null {
    const item = this.#items.get(id);
    if (!item) return null;
    for (const [key, index] of this.#by) {
      const ids = index.get(item[key]);
      ids?.delete(id);
      if (ids?.size === 0) index.delete(item[key]);
    }
    return item;
  }
}
