import type { Session } from './session.ts';
import type { ClientState } from './session-state.ts';

/** What the event `stateChange` tells. `session` is the session of the new state. */
export interface StateChange {
  readonly state: ClientState;
  readonly previous: ClientState;
  readonly session: Session | null;
}

/** The events of a client: name and payload. What another client or page with the same storage does, counts too. */
export interface EdgeEvents {
  /** `edge.state` changed. */
  stateChange: StateChange;
  /**
   * The client signed in or restored a session, or the authentication queries changed: a partial session became full,
   * or a changed policy made a full session partial. A sign-in with `onAuthQuery` emits it once, at its end. `partial`
   * then means that some queries were not answered.
   */
  session: Session;
  /** `expiresAt` moved. Emitted at most once a second. */
  extended: Session;
  /** The session ends soon, and nobody extended it: 60 s or a tenth of the timeout is left, whichever is shorter. */
  expiring: Session;
  /** The session ended without `signOut`. The payload is the ended session. */
  expired: Session;
  /** `signOut` ended the session. The payload is the ended session. */
  signedOut: Session;
}

/** The names of the events of a client. */
export const eventNames: readonly (keyof EdgeEvents)[] = [
  'stateChange',
  'session',
  'extended',
  'expiring',
  'expired',
  'signedOut',
];

/** Adds a listener and returns a function that removes it. An abort of `signal` removes it, too. */
export type Listen<Payloads> = <E extends keyof Payloads>(
  name: E,
  listener: (payload: Payloads[E]) => void,
  options?: { readonly signal?: AbortSignal | undefined },
) => () => void;

/** With the events that only the SDK itself knows. */
interface AllEvents extends EdgeEvents {
  /** The session was replaced or ended. */
  sessionChange: null;
}

export interface Events {
  readonly on: Listen<AllEvents>;
  emit<E extends keyof AllEvents>(name: E, payload: AllEvents[E]): void;
}

/** Listeners run synchronously, one after the other. An error in one does not affect the others or the client. */
export function createEvents(): Events {
  const entries = new Set<{ name: string; run: (payload: never) => unknown }>();
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
