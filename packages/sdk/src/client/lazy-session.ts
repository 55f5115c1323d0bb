import type { CallOptions } from '../api/call-options.ts';
import type { ClientState } from '../api/client-state.ts';
import type { SignOutResult } from '../api/sign-out-result.ts';
import { isSignIn } from '../calls/own-calls.ts';
import type { PreparedCall } from '../calls/prepared-call.ts';
import { loadCode } from '../errors/load-code.ts';
import type { Api } from '../requests/controller-url.ts';
import type { ClientParts, ClientSession } from '../session/client-session.ts';

export const sessionCode = () => import('../session/client-session.ts');

/**
 * The session of a client, whose code is loaded when there may be one. A page without a session, for example one with a form to
 * sign in, does not need it.
 */
export class LazySession {
  readonly #parts: ClientParts;
  /** `undefined` until its code is loaded. */
  loaded: ClientSession | undefined;
  #isSignedOut = false;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  get state(): ClientState {
    return (
      this.loaded?.keeper.state() ?? (this.#parts.options.storage && !this.#isSignedOut ? 'unknown' : 'signed-out')
    );
  }

  async load(): Promise<ClientSession> {
    const { disposed } = this.#parts;
    disposed.throwIfAborted();
    if (this.loaded) return this.loaded;
    const { createClientSession } = await loadCode(sessionCode);
    disposed.throwIfAborted();
    this.loaded ??= createClientSession(this.#parts);
    return this.loaded;
  }

  /** Loads code for a call. A session becomes `stale` when that fails. */
  async code<P>(load: () => Promise<P>): Promise<P> {
    try {
      return await loadCode(load);
    } catch (error) {
      this.loaded?.probe.noteFailure(this.loaded.keeper.token(), error);
      throw error;
    }
  }

  /** Loads a part of the client together with the session. */
  async with<P, T>(load: () => Promise<P>, use: (code: P, session: ClientSession) => T | Promise<T>): Promise<T> {
    return use(...(await Promise.all([this.code(load), this.load()])));
  }

  async perform(api: Api, call: PreparedCall): Promise<unknown> {
    const { disposed, sender } = this.#parts;
    disposed.throwIfAborted();
    const needsNoSession = call.row.access === 'anyone' && !isSignIn(call.row);
    return needsNoSession ? sender.perform(api, call) : (await this.load()).caller.perform(api, call);
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
      this.#isSignedOut = true;
      return { confirmed: false, error: error as Error };
    }
  }
}
