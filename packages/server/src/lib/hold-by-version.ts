/** What this process holds of the entities until their version changes. */
export interface HeldByVersion<Value> {
  /** The value at a version of the entities. */
  at(version: string): Promise<Value>;
  /** Reads the value again, although the version is still the same. */
  reload(): Promise<Value>;
}

/**
 * Holds a value that is read once for each version of the entities, and again after a failure.
 *
 * @param first what is held before the first read
 * @param read gets what is held, so that it can keep what has not changed
 */
export function holdByVersion<Value>(first: Value, read: (held: () => Value) => Promise<Value>): HeldByVersion<Value> {
  let version: string | null = null;
  let held = first;
  let loading: Promise<Value> | null = null;

  const load = () => {
    const started = read(() => held);
    loading = started;
    const forget = () => {
      if (loading === started) loading = null;
    };
    started.then((value) => {
      held = value;
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
