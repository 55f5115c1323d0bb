import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { AuthQueryAnswer, OnAuthQuery } from './auth-query.ts';
import type { ClientCalls } from './calls.ts';
import { codeToSend } from './code-to-send.ts';
import { EdgeAuthQueryError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';
import type { SessionKeeper } from './session-keeper.ts';

interface AuthQueryParts {
  readonly keeper: SessionKeeper;
  /** The calls of the Client API under one token, whatever session is held. */
  readonly callsWith: (token: string) => ClientCalls;
}

export type AuthQueries = ReturnType<typeof createAuthQueries>;

/** One sign-in asks no more queries than this: a controller that always has a new one must not keep it for ever. */
const mostQueries = 10;

/** Brings the authentication queries of a session to an end. No lock is held while a handler runs. */
export function createAuthQueries({ keeper, callsWith }: AuthQueryParts) {
  function sessionOf(token: string): Session {
    const session = keeper.view();
    if (session === null || keeper.token() !== token) throw new EdgeAuthQueryError('NO_SESSION');
    return session;
  }

  async function totp(token: string, code: string, options?: CallOptions): Promise<Session> {
    sessionOf(token);
    const calls = callsWith(token);
    await calls.authentication.mfa({ code: codeToSend(code) }, options);
    await calls.currentApiSession.get(options);
    return sessionOf(token);
  }

  /** Asks the handler for each query that the session of this token has outstanding. */
  async function settle(token: string, handler: OnAuthQuery, options: CallOptions = {}): Promise<Session> {
    options.signal?.throwIfAborted();
    const accepted = new Set<string>();
    const passed = new Set<string>();
    const answers = new Set<Promise<Session>>();
    const gone = new AbortController();
    const ended = new Promise<never>((_resolve, reject) => {
      gone.signal.addEventListener('abort', () => reject(gone.signal.reason));
    });

    async function answerTotp(key: string, code: string, own: CallOptions | undefined): Promise<Session> {
      try {
        const session = await totp(token, code, { ...options, ...own });
        passed.delete(key);
        accepted.add(key);
        return session;
      } catch (error) {
        if (keeper.token() !== token) gone.abort(error);
        throw error;
      }
    }

    async function ask(query: AuthQueryDetail, key: string): Promise<void> {
      passed.add(key);
      const answer: AuthQueryAnswer = {
        signal: gone.signal,
        totp(code, own) {
          const answering = answerTotp(key, code, own).finally(() => answers.delete(answering));
          answers.add(answering);
          // Nobody may be waiting for it, and a wrong code must not end a Node process.
          answering.catch(() => undefined);
          return answering;
        },
      };
      await handler(query, answer);
      // A handler may forget to wait.
      await Promise.all(answers);
    }

    async function askAll(): Promise<Session> {
      for (;;) {
        gone.signal.throwIfAborted();
        const session = sessionOf(token);
        const query = session.authQueries.find((one) => !passed.has(JSON.stringify(one)));
        if (query === undefined) return session;
        const key = JSON.stringify(query);
        if (accepted.has(key) || accepted.size + passed.size === mostQueries) {
          throw new EdgeAuthQueryError('STILL_ASKED');
        }
        await ask(query, key);
      }
    }

    const abort = () => gone.abort(options.signal?.reason);
    // While an answer is under way, its error tells more.
    const look = () => {
      if (keeper.token() !== token && answers.size === 0) gone.abort(new EdgeAuthQueryError('NO_SESSION'));
    };
    const unwatch = keeper.watch(look);
    options.signal?.addEventListener('abort', abort);
    try {
      return await Promise.race([askAll(), ended]);
    } finally {
      unwatch();
      options.signal?.removeEventListener('abort', abort);
      gone.abort();
    }
  }

  return { totp, settle };
}
