interface Entry<Value> {
  readonly loading: Promise<Value>;
  value?: Value;
}

/** Loads each key once until `clear`, `delete` or `reload`. What is loaded before `clear` is not kept after it. */
export class KeyedCache<Value> {
  readonly #size: number;
  readonly #load: (key: string) => Promise<Value>;
  #entries = new Map<string, Entry<Value>>();

  /** @param size keys; the oldest one then makes room */
  constructor(size: number, load: (key: string) => Promise<Value>) {
    this.#size = size;
    this.#load = load;
  }

  get(key: string): Promise<Value> {
    return this.#entries.get(key)?.loading ?? this.#add(key, this.#load(key));
  }

  /** The value, if it is loaded. */
  known(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Value): void {
    void this.#add(key, Promise.resolve(value));
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries = new Map();
  }

  reload(key: string): Promise<Value> {
    this.#entries.delete(key);
    return this.get(key);
  }

  #add(key: string, loading: Promise<Value>): Promise<Value> {
    const entries = this.#entries;
    const oldest = entries.size >= this.#size ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    const entry: Entry<Value> = { loading };
    entries.set(key, entry);
    loading.then(
      (value) => Object.assign(entry, { value }),
      () => entries.get(key) === entry && entries.delete(key),
    );
    return loading;
  }
}
