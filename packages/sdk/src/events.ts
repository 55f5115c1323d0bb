import type { Session } from './session.ts';

/** Events of a client → what its listeners receive. */
export interface EdgeEvents {
  /**
   * Signed in, restored from storage, or the authentication queries changed: a partial session became full, or a changed
   * policy made a full one partial. A sign-in with `onAuthQuery` emits it once, when it ends: `partial` then means that
   * the handler left queries outstanding.
   */
  session: Session;
  /** The session ended without `signOut`. Receives the session that was. */
  expired: Session;
  /** `signOut` ended the session. Receives the session that was. */
  signedOut: Session;
}

export type Listener<E extends keyof EdgeEvents> = (payload: EdgeEvents[E]) => void;

export interface Events {
  /** Adds a listener; the function returned removes it. */
  on<E extends keyof EdgeEvents>(name: E, listener: Listener<E>): () => void;
  emit<E extends keyof EdgeEvents>(name: E, payload: EdgeEvents[E]): void;
}

/** Listeners run one after the other, at once; what one throws is dropped and stops neither the others nor the client. */
export function createEvents(): Events {
  const listeners: { [E in keyof EdgeEvents]: Set<Listener<E>> } = {
    session: new Set(),
    expired: new Set(),
    signedOut: new Set(),
  };
  return {
    on(name, listener) {
      // An own function per subscription: the same listener added twice counts twice.
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
    // The state is committed already; a listener's failure is its own.
  }
}
