/** Something that ends with a session of a service. */
interface Watcher {
  readonly onRemoved: () => void;
  readonly isDial: boolean;
}

/** The sessions of services that something of a router lives by, and those that were removed a short time ago. */
export class ServiceSessions {
  readonly #memory: number;
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** Id → when it was removed, the oldest first. */
  readonly #removed = new Map<string, number>();

  /** @param memory milliseconds for which a removed session is remembered */
  constructor(memory: number) {
    this.#memory = memory;
  }

  /**
   * Runs when the session is removed, or soon if it was removed before.
   *
   * @returns a function that ends this
   */
  watch(id: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(watcher));
    this.#forgetOld();
    if (this.#removed.has(id)) queueMicrotask(() => watchers.has(watcher) && watcher.onRemoved());
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(id);
    };
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.#removed.delete(id);
      this.#removed.set(id, performance.now());
      for (const { onRemoved } of [...(this.#watchers.get(id) ?? [])]) onRemoved();
    }
    this.#forgetOld();
  }

  /** The ids of sessions with which applications have dialed. */
  dialing(): readonly string[] {
    return [...this.#watchers].filter(([, all]) => [...all].some(({ isDial }) => isDial)).map(([id]) => id);
  }

  clear(): void {
    this.#watchers.clear();
    this.#removed.clear();
  }

  #forgetOld(): void {
    const limit = performance.now() - this.#memory;
    for (const [id, removedAt] of this.#removed) {
      if (removedAt >= limit) return;
      this.#removed.delete(id);
    }
  }
}
