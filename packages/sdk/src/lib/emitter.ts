/** Adds a listener and returns a function that removes it. An abort of `signal` removes it, too. */
export type Listen<Payloads> = <E extends keyof Payloads>(
  name: E,
  listener: (payload: Payloads[E]) => void,
  options?: { readonly signal?: AbortSignal | undefined },
) => () => void;

export interface Emitter<Payloads> {
  readonly on: Listen<Payloads>;
  emit<E extends keyof Payloads>(name: E, payload: Payloads[E]): void;
  /** Gets what a listener throws or rejects with. Whoever emits sets it. */
  failed?: (name: keyof Payloads, error: unknown) => void;
}

/** Listeners run synchronously, one after the other. An error in one does not affect the others or the client. */
export function createEmitter<Payloads extends object>(): Emitter<Payloads> {
  const entries = new Set<{ name: PropertyKey; run: (payload: never) => unknown }>();
  const emitter: Emitter<Payloads> = {
    on(name, listener, { signal } = {}) {
      const entry = { name, run: listener };
      const off = () => {
        signal?.removeEventListener('abort', off);
        entries.delete(entry);
      };
      if (signal?.aborted) return off;
      entries.add(entry);
      signal?.addEventListener('abort', off);
      return off;
    },
    emit(name, payload) {
      for (const entry of [...entries]) {
        // The state has already changed. A failing listener must not affect the client.
        if (entry.name === name)
          start(() => entry.run(payload as never)).catch((error: unknown) => emitter.failed?.(name, error));
      }
    },
  };
  return emitter;
}

/** Runs the function at once. What it throws is a rejection. */
const start = async (run: () => unknown): Promise<unknown> => run();
