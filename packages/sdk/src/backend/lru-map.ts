/** A map with a bounded number of entries. A full map forgets the entry that was not used for the longest time. */
export interface LruMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

export function createLruMap<Value>(maxEntries: number): LruMap<Value> {
  // A `Map` keeps the order in which its keys were set: the oldest is the first.
  const entries = new Map<string, Value>();

  function set(key: string, value: Value): void {
    entries.delete(key);
    entries.set(key, value);
    if (entries.size > maxEntries) for (const oldest of entries.keys()) return void entries.delete(oldest);
  }

  return {
    set,
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    delete: (key) => void entries.delete(key),
  };
}
