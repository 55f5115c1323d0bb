import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { AuthQueryAnswer, OnAuthQuery } from './auth-query.ts';
import type { ClientCalls } from './calls.ts';
import { EdgeAuthQueryError } from './errors.ts';
import { normalizeCode } from './normalize-code.ts';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';
import type { SessionKeeper } from './session-keeper.ts';

interface AuthQueryParts {
  readonly keeper: SessionKeeper;
  /** The calls of the Client API with this token, also when another session is current. */
  readonly callsWith: (token: string) => ClientCalls;
}

export type AuthQueries = ReturnType<typeof createAuthQueries>;

/** Queries that one sign-in answers at most. A controller that always asks a new one must not block it forever. */
const maxQueries = 10;

/** Answers the authentication queries of a session. */
export function createAuthQueries({ keeper, callsWith }: AuthQueryParts) {
  function sessionOf(token: string): Session {
    const session = keeper.view();
    if (session === null || keeper.token() !== token) throw new EdgeAuthQueryError('NO_SESSION');
    return session;
  }

  async function totp(token: string, code: string, options?: CallOptions): Promise<Session> {
    sessionOf(token);
    const calls = callsWith(token);
    await calls.authentication.mfa({ code: normalizeCode(code) }, options);
    await calls.currentApiSession.get(options);
    return sessionOf(token);
  }

  /** Calls the handler for each outstanding query of the session with this token. */
  async function answerAll(token: string, handler: OnAuthQuery, options: CallOptions = {}): Promise<Session> {
    options.signal?.throwIfAborted();
    const answered = new Set<string>();
    const unanswered = new Set<string>();
    const pendingAnswers = new Set<Promise<Session>>();
    const aborter = new AbortController();
    const aborted = new Promise<never>((_resolve, reject) => {
      aborter.signal.addEventListener('abort', () => reject(aborter.signal.reason));
    });

    async function answerTotp(key: string, code: string, callOptions: CallOptions | undefined): Promise<Session> {
      try {
        const session = await totp(token, code, { ...options, ...callOptions });
        unanswered.delete(key);
        answered.add(key);
        return session;
      } catch (error) {
        if (keeper.token() !== token) aborter.abort(error);
        throw error;
      }
    }

    async function ask(query: AuthQueryDetail, key: string): Promise<void> {
      unanswered.add(key);
      const answer: AuthQueryAnswer = {
        signal: aborter.signal,
        totp(code, callOptions) {
          const pending = answerTotp(key, code, callOptions).finally(() => pendingAnswers.delete(pending));
          pendingAnswers.add(pending);
          // The handler may not await this promise. An unhandled rejection would end a Node process.
          pending.catch(() => undefined);
          return pending;
        },
      };
      await handler(query, answer);
      // The handler may return before its answers are sent.
      await Promise.all(pendingAnswers);
    }

    async function askAll(): Promise<Session> {
      for (;;) {
        aborter.signal.throwIfAborted();
        const session = sessionOf(token);
        const query = session.authQueries.find((one) => !unanswered.has(JSON.stringify(one)));
        if (query === undefined) return session;
        const key = JSON.stringify(query);
        if (answered.has(key) || answered.size + unanswered.size === maxQueries) {
          throw new EdgeAuthQueryError('STILL_ASKED');
        }
        await ask(query, key);
      }
    }

    const onAbort = () => aborter.abort(options.signal?.reason);
    // A pending answer rejects with a more precise error than `NO_SESSION`.
    const onSessionChange = () => {
      if (keeper.token() !== token && pendingAnswers.size === 0) aborter.abort(new EdgeAuthQueryError('NO_SESSION'));
    };
    const unwatch = keeper.watch(onSessionChange);
    options.signal?.addEventListener('abort', onAbort);
    try {
      return await Promise.race([askAll(), aborted]);
    } finally {
      unwatch();
      options.signal?.removeEventListener('abort', onAbort);
      aborter.abort();
    }
  }

  return { totp, answerAll };
}
