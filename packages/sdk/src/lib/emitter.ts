/** Adds a listener and returns a function that removes it. An abort of `signal` removes it, too. */
export type Listen<Payloads> = <E extends keyof Payloads>(
  name: E,
  listener: (payload: Payloads[E]) => void,
  options?: { readonly signal?: AbortSignal | undefined },
) => () => void;

export interface Emitter<Payloads> {
  readonly on: Listen<Payloads>;
  emit<E extends keyof Payloads>(name: E, payload: Payloads[E]): void;
}

/** Listeners run synchronously, one after the other. An error in one does not affect the others or the client. */
export function createEmitter<Payloads extends object>(): Emitter<Payloads> {
  const entries = new Set<{ name: PropertyKey; run: (payload: never) => unknown }>();
  return {
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
      for (const entry of [...entries]) if (entry.name === name) run(() => entry.run(payload as never));
    },
  };
}

function run(listener: () => unknown): void {
  try {
    Promise.resolve(listener()).catch(() => undefined);
  } catch {
    // The state has already changed. A failing listener must not affect the client.
  }
}
