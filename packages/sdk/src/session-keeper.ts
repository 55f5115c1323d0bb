import type { CurrentApiSessionDetail } from '@edge-controller/shared-types';
import type { Clock } from './clock.ts';
import type { Events } from './events.ts';
import type { Session } from './session.ts';
import { sessionOf } from './session.ts';
import type { Storage } from './storage/storage.ts';

/** The clock is looked at this often at least, because timers stand still while a machine sleeps. */
const longestNap = 30_000;

interface KeeperParts {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly storageKey: string;
  readonly events: Events;
  /** Whether the session ends at `expiresAt` without having asked the controller. */
  readonly endsLocally: boolean;
}

interface Held {
  readonly token: string;
  readonly detail: CurrentApiSessionDetail;
  readonly expiresAt: number;
}

export type SessionKeeper = ReturnType<typeof createSessionKeeper>;

/** Holds the one session of a client. State first, then storage, then listeners. */
export function createSessionKeeper({ clock, storage, storageKey, events, endsLocally }: KeeperParts) {
  let held: Held | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leaving: string | null = null;
  const settling = new Set<string>();
  const watchers = new Set<() => void>();
  let reads = 0;
  let newestRead = 0;
  let writes: Promise<void> = Promise.resolve();

  const view = (): Session | null => (held === null ? null : sessionOf(held.detail, held.expiresAt));

  /** One after the other, so that an asynchronous storage ends with the last value. */
  function write(change: () => void | Promise<void>): Promise<void> {
    const written = writes.then(change);
    writes = written.catch(() => undefined);
    return written;
  }

  function hold(detail: CurrentApiSessionDetail): void {
    const isOther = held?.token !== detail.token;
    held = { token: detail.token, detail, expiresAt: clock() + detail.expirationSeconds * 1000 };
    if (endsLocally && timer === undefined) nap();
    if (isOther) notifyWatchers();
  }

  function notifyWatchers(): void {
    for (const watcher of [...watchers]) watcher();
  }

  function tell(token: string): void {
    const session = view();
    if (session !== null && held?.token === token && !settling.has(token)) events.emit('session', session);
  }

  function nap(): void {
    clearTimeout(timer);
    timer = undefined;
    if (held === null) return;
    const left = held.expiresAt - clock();
    if (left <= 0) {
      // Nobody waits for the storage here; what it fails to remove is refused by the controller.
      void end(held.token, 'expired').catch(() => undefined);
      return;
    }
    timer = setTimeout(nap, Math.min(left, longestNap));
    // A session must not keep a Node process alive.
    if (typeof timer === 'object') timer.unref();
  }

  async function begin(detail: CurrentApiSessionDetail): Promise<Session> {
    hold(detail);
    const session = sessionOf(detail, clock() + detail.expirationSeconds * 1000);
    try {
      await write(() => storage.set(storageKey, detail.token));
    } finally {
      tell(detail.token);
    }
    return session;
  }

  async function end(token: string, event: 'expired' | 'signedOut'): Promise<void> {
    const session = view();
    // The 401 of a call that a sign-out overtook is no expiry.
    if (held?.token !== token || session === null || (event === 'expired' && leaving === token)) return;
    held = null;
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
    token: (): string | null => held?.token ?? null,
    stored: async (): Promise<string | null> => {
      await writes;
      return storage.get(storageKey);
    },
    isLeaving: (token: string): boolean => leaving === token,
    forgetStored: (): Promise<void> => write(() => storage.remove(storageKey)),
    /** Runs a sign-out; until it is over, a 401 for this token is not taken for an expiry. */
    async whileLeaving<T>(token: string, run: () => Promise<T>): Promise<T> {
      leaving = token;
      try {
        return await run();
      } finally {
        leaving = null;
      }
    },
    /** Runs a sign-in that answers queries by itself: listeners hear of its session once, as it is when that is over. */
    async whileSettling<T>(token: string, run: () => Promise<T>): Promise<T> {
      settling.add(token);
      try {
        return await run();
      } finally {
        settling.delete(token);
        tell(token);
      }
    },
    /** Calls the watcher whenever another session, or none, is held. The function returned removes it. */
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    /** A call that carried this token succeeded: the controller counts the timeout anew. */
    touched(token: string): void {
      if (held?.token === token) hold(held.detail);
    },
    /**
     * Begins a read of this session from the controller. The function returned takes what the controller told, unless
     * a read that began later was faster; listeners hear of it when the authentication queries changed.
     */
    reading(token: string): (detail: CurrentApiSessionDetail) => void {
      reads += 1;
      const read = reads;
      return (detail) => {
        if (held?.token !== token || read < newestRead) return;
        newestRead = read;
        const before = JSON.stringify(held.detail.authQueries ?? []);
        // The answer may leave the token out or carry another spelling; the one that was sent works.
        hold({ ...detail, token });
        if (JSON.stringify(view()?.authQueries) !== before) tell(token);
      };
    },
  };
}
