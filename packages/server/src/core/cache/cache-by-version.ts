/** A cache of something that is read from the entities, until their version changes. */
export interface CachedByVersion<Value> {
  /** The value at a version of the entities. */
  at(version: string): Promise<Value>;
  /** Reads the value again, although the version is still the same. */
  reload(): Promise<Value>;
}

/**
 * Caches a value: it is read once for each version of the entities, and again after a failure.
 *
 * @param first the value before the first read
 * @param read gets the cached value, so that it can keep what has not changed
 */
export function cacheByVersion<Value>(
  first: Value,
  read: (cached: () => Value) => Promise<Value>,
): CachedByVersion<Value> {
  let version: string | null = null;
  let cached = first;
  let loading: Promise<Value> | null = null;

  const load = () => {
    const started = read(() => cached);
    loading = started;
    const forget = () => {
      if (loading === started) loading = null;
    };
    started.then((value) => {
      cached = value;
    }, forget);
    return started;
  };

  return {
    at(current) {
      if (current !== version) loading = null;
      version = current;
      return loading ?? load();
    },
    reload: load,
  };
}
