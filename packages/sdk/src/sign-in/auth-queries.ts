import type { NewPassword, OnAuthQuery } from '../api/auth-query.ts';
import type { CallOptions } from '../api/call-options.ts';
import type { ExtJwtAuthQuery, NewPasswordAuthQuery } from '../api/generated/entities.ts';
import type { GetToken } from '../api/get-token.ts';
import type { Session } from '../api/session.ts';
import type { OperationRow } from '../calls/operation-row.ts';
import { callOf, sessionRow } from '../calls/own-calls.ts';
import type { PreparedCall } from '../calls/prepared-call.ts';
import { authQueryError } from '../errors/auth-query-error.ts';
import type { SecondaryTokens } from '../external-jwt/secondary-tokens.ts';
import { tokenError } from '../external-jwt/token-error.ts';
import { normalizeCode } from './normalize-code.ts';
import { QueryRound } from './query-round.ts';

const totpRow: OperationRow = { method: 'POST', path: '/authenticate/mfa', access: 'partial', result: 'empty' };

/** What the answers need of a client. */
export interface AuthQueryParts {
  readonly manager: { view(): Session | null; token(): string | null };
  readonly events: { on(name: 'sessionChange', listener: () => void): () => void };
  readonly secondary: { load(): Promise<Pick<SecondaryTokens, 'get' | 'answer'>> };
  readonly caller: {
    perform(api: 'client', call: PreparedCall, credentials: { readonly token: string }): Promise<unknown>;
  };
}

/** Answers the authentication queries of a session. */
export function createAuthQueries({ manager, events, secondary, caller }: AuthQueryParts) {
  function sessionOf(token: string): Session {
    const session = manager.view();
    if (session === null || manager.token() !== token) throw authQueryError('NO_SESSION');
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
    const takeBack = jwts.answer(token, signer, answer);
    try {
      // Not in the time limit of the request, because a person may be asked.
      const jwt = await jwts.get(token, options?.signal ?? new AbortController().signal);
      if (jwt === null) throw tokenError('NO_TOKEN', answer);
      const session = await reload(token, options);
      const asked = jwtQueryOf(session);
      if (asked && (signer === undefined || asked.id === signer)) throw tokenError('REFUSED', answer);
      return session;
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  async function newPassword(token: string, change: NewPassword, options?: CallOptions): Promise<Session> {
    const row = newPasswordRowOf(sessionOf(token));
    const { currentPassword, password } = change;
    await caller.perform('client', callOf(row, options, { currentPassword, password }), { token });
    return reload(token, options);
  }

  /** Calls the handler for each outstanding query of the session with this token. */
  async function answerAll(token: string, handler: OnAuthQuery, options: CallOptions = {}): Promise<Session> {
    const round = new QueryRound({
      handler,
      session: () => sessionOf(token),
      isCurrent: () => manager.token() === token,
      totp: (code, more) => totp(token, code, { ...options, ...more }),
      extJwt: (jwt, more) => extJwt(token, jwt, { ...options, ...more }),
      newPassword: (change, more) => newPassword(token, change, { ...options, ...more }),
    });
    const unwatch = events.on('sessionChange', () => round.sessionChanged());
    return round.run(options.signal).finally(unwatch);
  }

  return { totp, extJwt, newPassword, reload, answerAll };
}

function jwtQueryOf({ authQueries }: Session): ExtJwtAuthQuery | undefined {
  return authQueries.find((query) => query.typeId === 'EXT-JWT');
}

function newPasswordRowOf({ authQueries }: Session): OperationRow {
  const query = authQueries.find((one): one is NewPasswordAuthQuery => one.typeId === 'NEW-PASSWORD');
  if (query === undefined) throw authQueryError('NOT_ASKED');
  const path = `/current-identity/authenticators/${encodeURIComponent(query.id)}`;
  return { method: 'PATCH', path, access: 'partial', result: 'empty' };
}
