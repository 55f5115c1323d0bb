import type { Session } from './session.ts';

/** The events of a client: name and payload. */
export interface EdgeEvents {
  /**
   * The client signed in or restored a session, or the authentication queries changed: a partial session became full,
   * or a changed policy made a full session partial. A sign-in with `onAuthQuery` emits it once, at its end. `partial`
   * then means that some queries were not answered.
   */
  session: Session;
  /** The session ended without `signOut`. The payload is the ended session. */
  expired: Session;
  /** `signOut` ended the session. The payload is the ended session. */
  signedOut: Session;
}

export type Listener<E extends keyof EdgeEvents> = (payload: EdgeEvents[E]) => void;

export interface Events {
  /** Adds a listener and returns a function that removes it. */
  on<E extends keyof EdgeEvents>(name: E, listener: Listener<E>): () => void;
  emit<E extends keyof EdgeEvents>(name: E, payload: EdgeEvents[E]): void;
}

/** Listeners run synchronously, one after the other. An error in one does not affect the others or the client. */
export function createEvents(): Events {
  const listeners: { [E in keyof EdgeEvents]: Set<Listener<E>> } = {
    session: new Set(),
    expired: new Set(),
    signedOut: new Set(),
  };
  return {
    on(name, listener) {
      // Each call of `on` adds a new function, so that a listener that is added twice runs twice.
      const entry: typeof listener = (payload) => listener(payload);
      listeners[name].add(entry);
      return () => void listeners[name].delete(entry);
    },
    emit(name, payload) {
      for (const listener of [...listeners[name]]) run(() => listener(payload));
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
