import type { CallOptions } from '../api/call-options.ts';
import type { Session } from '../api/session.ts';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import type { SignOutResult } from '../api/sign-out-result.ts';
import { loadSession } from '../chunks/load.ts';
import type { ClientParts, ClientSession } from '../session/client-session.ts';

/**
 * The session of a client, whose code is loaded when something needs it. A page without a session, for example one with a form to
 * sign in, does not wait for it.
 */
export class SessionLoader {
  readonly #parts: ClientParts;
  /** `undefined` until its code is loaded. */
  loaded: ClientSession | undefined;
  #snapshot: SessionSnapshot;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#snapshot = snapshotOf(parts.options.storage ? 'unknown' : 'signed-out');
  }

  get snapshot(): SessionSnapshot {
    this.#snapshot = this.loaded?.manager.snapshot(this.#snapshot) ?? this.#snapshot;
    return this.#snapshot;
  }

  subscribe(listener: () => void): () => void {
    let last = this.snapshot;
    return this.#parts.events.on('snapshot', () => {
      const before = last;
      last = this.snapshot;
      if (last !== before) listener();
    });
  }

  async load(): Promise<ClientSession> {
    const { disposed } = this.#parts;
    disposed.throwIfAborted();
    if (this.loaded) return this.loaded;
    const { createClientSession } = await loadSession();
    disposed.throwIfAborted();
    this.loaded ??= createClientSession(this.#parts);
    return this.loaded;
  }

  /** Loads code and the session, and uses both. A session becomes `stale` when the code cannot be loaded. */
  async with<C, T>(load: () => Promise<C>, use: (code: C, session: ClientSession) => T | Promise<T>): Promise<T> {
    const code = load().catch((error: unknown) => {
      this.loaded?.probe.recordFailure(this.loaded.manager.token(), error);
      throw error;
    });
    return use(...(await Promise.all([code, this.load()])));
  }

  async restore(callOptions?: CallOptions): Promise<Session | null> {
    const { stored, manager } = await this.load();
    await stored.restore(callOptions);
    return manager.view();
  }

  async signOut(callOptions?: CallOptions): Promise<SignOutResult> {
    const { disposed, options, signOuts, storage, storageKey } = this.#parts;
    disposed.throwIfAborted();
    signOuts.advance();
    if (!this.loaded && !options.storage) return { confirmed: true };
    try {
      return await (this.loaded ?? (await this.load())).signOut(callOptions);
    } catch (error) {
      // Offline, the code cannot be loaded. Then only the storage knows the token.
      await Promise.resolve(storageKey)
        .then(storage.remove)
        .catch(() => undefined);
      this.#recordSignOut();
      return { confirmed: false, error: error as Error };
    }
  }

  /** Without the code of the session, nobody else tells it. */
  #recordSignOut(): void {
    const { state: previous } = this.snapshot;
    if (this.loaded || previous !== 'unknown') return;
    const { events } = this.#parts;
    this.#snapshot = snapshotOf('signed-out');
    events.emit('stateChange', { previous, ...this.#snapshot });
    events.emit('snapshot', null);
  }
}

const snapshotOf = (state: 'unknown' | 'signed-out'): SessionSnapshot => Object.freeze({ state, session: null });
