import type { ApiSession } from '@edge-controller/router-messages';
import type { Timers } from '../timers.ts';
import type { SyncState } from './sync-state.ts';

interface ApiSessionsOptions {
  readonly timers: Timers;
  /** Milliseconds in which a full state must be complete. */
  readonly syncTime: number;
  readonly onRemoved: (token: string) => void;
  /** A full state is complete. */
  readonly onSynced: () => void;
  readonly onIncomplete: () => void;
}

interface Sync {
  readonly id: string;
  readonly tokens: Set<string>;
  readonly sequences: Set<number>;
  greatestId: string;
  /** Unknown until the last chunk. */
  length: number | null;
  readonly cancel: () => void;
}

/** The API sessions that a router knows, by token. */
export class ApiSessions {
  readonly #options: ApiSessionsOptions;
  readonly #byToken = new Map<string, ApiSession>();
  readonly #waiting = new Map<string, Set<(session: ApiSession | null) => void>>();
  #sync: Sync | null = null;
  #lastSync = '';

  constructor(options: ApiSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byToken.size;
  }

  get(token: string): ApiSession | undefined {
    return this.#byToken.get(token);
  }

  all(): readonly ApiSession[] {
    return [...this.#byToken.values()];
  }

  /** `null`: it did not appear in this time. */
  async wait(token: string, time: number): Promise<ApiSession | null> {
    const known = this.#byToken.get(token);
    if (known) return known;
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(token) ?? new Set();
      const end = (session: ApiSession | null) => {
        cancel();
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(token);
        resolve(session);
      };
      const cancel = this.#options.timers.after(time, () => end(null));
      this.#waiting.set(token, waiting.add(end));
    });
  }

  /** Adds sessions, or replaces what is known of them. */
  put(sessions: readonly ApiSession[]): void {
    for (const session of sessions) {
      this.#byToken.set(session.token, session);
      for (const end of [...(this.#waiting.get(session.token) ?? [])]) end(session);
    }
  }

  remove(tokens: readonly string[]): void {
    for (const token of tokens) if (this.#byToken.delete(token)) this.#options.onRemoved(token);
  }

  /** All that there are, in one message. */
  replaceAll(sessions: readonly ApiSession[]): void {
    this.put(sessions);
    const tokens = new Set(sessions.map(({ token }) => token));
    this.#removeOthers(tokens, () => true);
    this.#options.onSynced();
  }

  /** A part of all that there are. The others are removed when the last part is there. */
  addPart(sessions: readonly ApiSession[], { id, isLast, sequence }: SyncState): void {
    this.put(sessions);
    const current = this.#sync?.id ?? this.#lastSync;
    if (id < current || id === this.#lastSync) return;
    if (this.#sync?.id !== id) this.#startSync(id);
    const sync = this.#sync;
    if (!sync) return;
    sync.sequences.add(sequence);
    if (isLast) sync.length = sequence + 1;
    for (const session of sessions) {
      sync.tokens.add(session.token);
      if (session.id > sync.greatestId) sync.greatestId = session.id;
    }
    if (sync.sequences.size === sync.length) this.#finish(sync);
  }

  /** What has begun on a connection is not completed on the next one. */
  abortSync(): void {
    this.#sync?.cancel();
    this.#sync = null;
  }

  clear(): void {
    this.abortSync();
    this.#byToken.clear();
    for (const waiting of [...this.#waiting.values()]) for (const end of [...waiting]) end(null);
  }

  #startSync(id: string): void {
    this.abortSync();
    const cancel = this.#options.timers.after(this.#options.syncTime, () => {
      this.#sync = null;
      this.#options.onIncomplete();
    });
    this.#sync = { id, tokens: new Set(), sequences: new Set(), greatestId: '', length: null, cancel };
  }

  #finish({ id, tokens, greatestId }: Sync): void {
    this.abortSync();
    this.#lastSync = id;
    // Ids grow with time. A greater one is of a session that began after the full state was made.
    this.#removeOthers(tokens, (sessionId) => greatestId === '' || sessionId <= greatestId);
    this.#options.onSynced();
  }

  #removeOthers(tokens: ReadonlySet<string>, mayGo: (id: string) => boolean): void {
    const gone = this.all().filter((session) => !tokens.has(session.token) && mayGo(session.id));
    this.remove(gone.map(({ token }) => token));
  }
}
