import type { CurrentApiSessionDetail } from '@edge-controller/shared-types';
import type { Clock } from './clock.ts';
import type { Events } from './events.ts';
import type { Session } from './session.ts';
import { sessionOf } from './session.ts';
import type { Storage } from './storage/storage.ts';

/** Milliseconds between two looks at the clock at most, because timers stop while a machine sleeps. */
const maxTimerDelay = 30_000;

interface KeeperParts {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly storageKey: string;
  readonly events: Events;
  /** Whether the session ends at `expiresAt` without a request to the controller. */
  readonly endsLocally: boolean;
}

interface CurrentSession {
  readonly token: string;
  readonly detail: CurrentApiSessionDetail;
  readonly expiresAt: number;
}

export type SessionKeeper = ReturnType<typeof createSessionKeeper>;

/**
 * Keeps the session of a client. Every change updates the state first, then the storage, then it runs the listeners.
 */
export function createSessionKeeper({ clock, storage, storageKey, events, endsLocally }: KeeperParts) {
  let current: CurrentSession | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let signingOut: string | null = null;
  const signingIn = new Set<string>();
  const watchers = new Set<() => void>();
  let reads = 0;
  let newestRead = 0;
  let writes: Promise<void> = Promise.resolve();

  const view = (): Session | null => (current === null ? null : sessionOf(current.detail, current.expiresAt));

  /** Writes one after the other, so that an asynchronous storage ends with the last value. */
  function write(change: () => void | Promise<void>): Promise<void> {
    const written = writes.then(change);
    writes = written.catch(() => undefined);
    return written;
  }

  function setCurrent(detail: CurrentApiSessionDetail): void {
    const isOther = current?.token !== detail.token;
    current = { token: detail.token, detail, expiresAt: clock() + detail.expirationSeconds * 1000 };
    if (endsLocally && timer === undefined) scheduleExpiry();
    if (isOther) notifyWatchers();
  }

  function notifyWatchers(): void {
    for (const watcher of [...watchers]) watcher();
  }

  function emitSession(token: string): void {
    const session = view();
    if (session !== null && current?.token === token && !signingIn.has(token)) events.emit('session', session);
  }

  function scheduleExpiry(): void {
    clearTimeout(timer);
    timer = undefined;
    if (current === null) return;
    const left = current.expiresAt - clock();
    if (left <= 0) {
      // Nothing awaits the storage here. The controller refuses a token that could not be removed from it.
      void end(current.token, 'expired').catch(() => undefined);
      return;
    }
    timer = setTimeout(scheduleExpiry, Math.min(left, maxTimerDelay));
    // The timer must not keep a Node process alive.
    if (typeof timer === 'object') timer.unref();
  }

  async function begin(detail: CurrentApiSessionDetail): Promise<Session> {
    setCurrent(detail);
    const session = sessionOf(detail, clock() + detail.expirationSeconds * 1000);
    try {
      await write(() => storage.set(storageKey, detail.token));
    } finally {
      emitSession(detail.token);
    }
    return session;
  }

  async function end(token: string, event: 'expired' | 'signedOut'): Promise<void> {
    const session = view();
    // During a sign-out, the 401 of another call does not mean that the session expired.
    if (current?.token !== token || session === null || (event === 'expired' && signingOut === token)) return;
    current = null;
    clearTimeout(timer);
    timer = undefined;
    notifyWatchers();
    try {
      await write(() => storage.remove(storageKey));
    } finally {
      events.emit(event, session);
    }
  }

  return {
    view,
    begin,
    end,
    token: (): string | null => current?.token ?? null,
    readStored: async (): Promise<string | null> => {
      await writes;
      return storage.get(storageKey);
    },
    isSigningOut: (token: string): boolean => signingOut === token,
    removeStored: (): Promise<void> => write(() => storage.remove(storageKey)),
    /** Runs a sign-out. Until it ends, a 401 for this token does not count as an expiry. */
    async whileSigningOut<T>(token: string, run: () => Promise<T>): Promise<T> {
      signingOut = token;
      try {
        return await run();
      } finally {
        signingOut = null;
      }
    },
    /** Runs a sign-in that answers queries. The `session` event is emitted once, at the end of the sign-in. */
    async whileSigningIn<T>(token: string, run: () => Promise<T>): Promise<T> {
      signingIn.add(token);
      try {
        return await run();
      } finally {
        signingIn.delete(token);
        emitSession(token);
      }
    },
    /** Calls the watcher whenever the session is replaced or ends. Returns a function that removes the watcher. */
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    /** Restarts the timeout of the session after a successful call with this token, as the controller does. */
    restartTimeout(token: string): void {
      if (current?.token === token) setCurrent(current.detail);
    },
    /**
     * Call it before a request that reads this session. It returns a function that applies the response, unless a read
     * that began later has finished first. The function emits `session` when the authentication queries changed.
     */
    beginRead(token: string): (detail: CurrentApiSessionDetail) => void {
      reads += 1;
      const read = reads;
      return (detail) => {
        if (current?.token !== token || read < newestRead) return;
        newestRead = read;
        const before = JSON.stringify(current.detail.authQueries ?? []);
        // The response may have no token or write it differently. The token of the request works.
        setCurrent({ ...detail, token });
        if (JSON.stringify(view()?.authQueries) !== before) emitSession(token);
      };
    },
  };
}
