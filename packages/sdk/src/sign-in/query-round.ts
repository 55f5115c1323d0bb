import type { AuthQueryAnswer, AuthQueryAnswers, OnAuthQuery } from '../api/auth-query.ts';
import type { AuthQueryDetail } from '../api/generated/entities.ts';
import type { Session } from '../api/session.ts';
import { authQueryError } from '../errors/auth-query-error.ts';

/** Queries that one sign-in answers at most. A controller that always asks a new one must not block it forever. */
const maxQueries = 10;

interface RoundParts extends AuthQueryAnswers {
  readonly handler: OnAuthQuery;
  /** The session of the sign-in. Throws `NO_SESSION` when it ended. */
  readonly session: () => Session;
  readonly isCurrent: () => boolean;
}

/** Calls a handler for each outstanding query of one session, one after the other. */
export class QueryRound {
  readonly #parts: RoundParts;
  readonly #answered = new Set<string>();
  readonly #unanswered = new Set<string>();
  readonly #pendingAnswers = new Set<Promise<Session>>();
  readonly #aborter = new AbortController();

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal | undefined): Promise<Session> {
    signal?.throwIfAborted();
    const aborter = this.#aborter;
    const onAbort = () => aborter.abort(signal?.reason);
    const aborted = new Promise<never>((_resolve, reject) => {
      aborter.signal.addEventListener('abort', () => reject(aborter.signal.reason));
    });
    signal?.addEventListener('abort', onAbort);
    try {
      return await Promise.race([this.#askAll(), aborted]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      aborter.abort();
    }
  }

  sessionChanged(): void {
    // A pending answer rejects with a more precise error than `NO_SESSION`.
    if (!this.#parts.isCurrent() && this.#pendingAnswers.size === 0) this.#aborter.abort(authQueryError('NO_SESSION'));
  }

  async #askAll(): Promise<Session> {
    for (;;) {
      this.#aborter.signal.throwIfAborted();
      const session = this.#parts.session();
      const query = session.authQueries.find((one) => !this.#unanswered.has(JSON.stringify(one)));
      if (query === undefined) return session;
      const key = JSON.stringify(query);
      if (this.#answered.has(key) || this.#answered.size + this.#unanswered.size === maxQueries) {
        throw authQueryError('STILL_ASKED');
      }
      await this.#ask(query, key);
    }
  }

  async #ask(query: AuthQueryDetail, key: string): Promise<void> {
    const { handler, totp, extJwt, newPassword } = this.#parts;
    this.#unanswered.add(key);
    const answer: AuthQueryAnswer = {
      signal: this.#aborter.signal,
      totp: (code, options) => this.#track(key, totp(code, options)),
      extJwt: (jwt, options) => this.#track(key, extJwt(jwt, options)),
      newPassword: (change, options) => this.#track(key, newPassword(change, options)),
    };
    await handler(query, answer);
    // The handler may return before its answers are sent.
    await Promise.all(this.#pendingAnswers);
  }

  #track(key: string, sent: Promise<Session>): Promise<Session> {
    const pending = this.#settle(key, sent).finally(() => this.#pendingAnswers.delete(pending));
    this.#pendingAnswers.add(pending);
    // The handler may not await this promise. An unhandled rejection would end a Node process.
    pending.catch(() => undefined);
    return pending;
  }

  async #settle(key: string, sent: Promise<Session>): Promise<Session> {
    try {
      const session = await sent;
      this.#unanswered.delete(key);
      this.#answered.add(key);
      return session;
    } catch (error) {
      if (!this.#parts.isCurrent()) this.#aborter.abort(error);
      throw error;
    }
  }
}
