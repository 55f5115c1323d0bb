import type { AuthQueryAnswer, AuthQueryAnswers, OnAuthQuery } from './auth-query.ts';
import { authQueryError } from './auth-query-error.ts';
import type { ClientCore } from './client-core.ts';
import { currentToken } from './current-token.ts';
import type { AuthQueryDetail } from './generated/entities.ts';
import { normalizeCode } from './normalize-code.ts';
import type { OperationRow } from './operation-row.ts';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';
import { callOf, sessionRow } from './shared.ts';
import { tokenError } from './token-error.ts';
import type { GetToken } from './token-source.ts';

const totpRow: OperationRow = { method: 'POST', path: '/authenticate/mfa', access: 'partial', result: 'empty' };

/** Queries that one sign-in answers at most. A controller that always asks a new one must not block it forever. */
const maxQueries = 10;

/** Answers the authentication queries of a session. */
export function createAuthQueries({ keeper, events, secondary, caller }: ClientCore) {
  function sessionOf(token: string): Session {
    const session = keeper.view();
    if (session === null || keeper.token() !== token) throw authQueryError('NO_SESSION');
    return session;
  }

  async function totp(token: string, code: string, options?: CallOptions): Promise<Session> {
    sessionOf(token);
    await caller.perform('client', callOf(totpRow, options, { code: normalizeCode(code) }), { token });
    return reload(token, options);
  }

  async function reload(token: string, options?: CallOptions): Promise<Session> {
    await caller.perform('client', callOf(sessionRow, options), { token });
    return sessionOf(token);
  }

  async function extJwt(token: string, answer: string | GetToken, options?: CallOptions): Promise<Session> {
    const signer = jwtQueryOf(sessionOf(token))?.id;
    const jwts = await secondary.load();
    const takeBack = jwts.answer(token, signer, typeof answer === 'string' ? () => answer : answer);
    try {
      // Not in the time limit of the request, because a person may be asked.
      const jwt = await jwts.get(token, options?.signal ?? new AbortController().signal);
      if (jwt === null) throw tokenError('NO_TOKEN');
      const session = await reload(token, options);
      const asked = jwtQueryOf(session);
      if (asked && (signer === undefined || asked.id === signer)) throw tokenError('REFUSED');
      return session;
    } catch (error) {
      takeBack();
      throw error;
    }
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

    async function settle(key: string, send: () => Promise<Session>): Promise<Session> {
      try {
        const session = await send();
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
      const track = (send: () => Promise<Session>) => {
        const pending = settle(key, send).finally(() => pendingAnswers.delete(pending));
        pendingAnswers.add(pending);
        // The handler may not await this promise. An unhandled rejection would end a Node process.
        pending.catch(() => undefined);
        return pending;
      };
      const answer: AuthQueryAnswer = {
        signal: aborter.signal,
        totp: (code, callOptions) => track(() => totp(token, code, { ...options, ...callOptions })),
        extJwt: (jwt, callOptions) => track(() => extJwt(token, jwt, { ...options, ...callOptions })),
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
          throw authQueryError('STILL_ASKED');
        }
        await ask(query, key);
      }
    }

    const onAbort = () => aborter.abort(options.signal?.reason);
    // A pending answer rejects with a more precise error than `NO_SESSION`.
    const onSessionChange = () => {
      if (keeper.token() !== token && pendingAnswers.size === 0) aborter.abort(authQueryError('NO_SESSION'));
    };
    const unwatch = events.on('sessionChange', onSessionChange);
    options.signal?.addEventListener('abort', onAbort);
    try {
      return await Promise.race([askAll(), aborted]);
    } finally {
      unwatch();
      options.signal?.removeEventListener('abort', onAbort);
      aborter.abort();
    }
  }

  return { totp, extJwt, reload, answerAll };
}

/** Answers the queries of the current session. */
export function createAnswers(core: ClientCore): AuthQueryAnswers {
  const queries = createAuthQueries(core);
  return {
    totp: async (code, options) => queries.totp(await currentToken(core, options), code, options),
    extJwt: async (jwt, options) => queries.extJwt(await currentToken(core, options), jwt, options),
  };
}

function jwtQueryOf({ authQueries }: Session): AuthQueryDetail | undefined {
  return authQueries.find(({ typeId }) => typeId === 'EXT-JWT');
}
