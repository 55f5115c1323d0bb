import type { CurrentApiSessionDetail } from '../../api/generated/entities.ts';
import type { Session } from '../../api/session.ts';
import { callOf, sessionPath, sessionRow } from '../../calls/own-calls.ts';
import { EdgeInvalidResponseError } from '../../errors/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { expiresIn } from '../../lib/expires-in.ts';
import { readResponse } from '../../requests/read-response.ts';
import { refusal } from '../../requests/refusal.ts';
import { isSessionRefusal } from '../../requests/session-refusal.ts';
import { sessionOf, timeoutOf } from '../../session/session-of.ts';
import type { ControllerRequests } from './controller-requests.ts';
import type { CookieRequest } from './cookie-request.ts';
import type { KeptSession, KeptSessions } from './kept-sessions.ts';
import { handleOf } from './kept-sessions.ts';

interface ServerSessionsParts {
  readonly kept: KeptSessions;
  readonly requests: ControllerRequests;
  readonly sessionHeader: string;
  readonly addressHeaders: (request: CookieRequest) => Record<string, string>;
}

/** API sessions as the server of an application uses them. */
export class ServerSessions {
  readonly #parts: ServerSessionsParts;

  constructor(parts: ServerSessionsParts) {
    this.#parts = parts;
  }

  /**
   * The session as the controller shows it, or `null` when it does not know it. It is a use of the session.
   *
   * @throws EdgeNetworkError, EdgeTimeoutError, EdgeApiError or EdgeInvalidResponseError when the controller cannot tell
   */
  async read(request: CookieRequest, { token, handle }: KeptSession): Promise<Session | null> {
    const { requests, sessionHeader, addressHeaders } = this.#parts;
    const headers = { accept: 'application/json', ...addressHeaders(request), [sessionHeader]: token };
    const sent = { api: 'client', method: 'GET', path: sessionPath, headers } as const;
    const response = await requests.send(sent);
    const { status } = response;
    const body: unknown = await response.json().catch(() => undefined);
    const received = { status, headers: response.headers, body, target: requests.target(sent), refusal };
    if (isSessionRefusal(received)) return null;
    const call = { call: callOf(sessionRow), token, jwts: [], isPartial: false };
    const detail = readResponse(received, call) as CurrentApiSessionDetail;
    // A cache between the application and the controller could send the session of another user.
    if (handle !== handleOf(detail.id)) throw new EdgeInvalidResponseError(received.target, status);
    const left = expiresIn(response.headers) ?? timeoutOf(detail);
    return sessionOf(detail, left === null ? null : systemClock() + left);
  }

  /** Keeps a session that began, and ends the one that it replaces. Returns the values of `Set-Cookie`. */
  async begin(request: CookieRequest, session: KeptSession): Promise<string[]> {
    const { kept } = this.#parts;
    const previous = await kept.open(request);
    const cookies = await kept.keep(request, session).catch(async (error: unknown) => {
      // Nobody would have its token.
      await this.end(session);
      throw error;
    });
    if (previous !== null) await this.end(previous);
    return cookies;
  }

  /** Ends the session on the controller. Resolves to whether the controller knows it. */
  async end({ token }: KeptSession): Promise<boolean> {
    const { requests, sessionHeader } = this.#parts;
    const headers = { accept: 'application/json', [sessionHeader]: token };
    try {
      const { status } = await requests.send({ api: 'client', method: 'DELETE', path: sessionPath, headers });
      return status < 300 || status === 401;
    } catch {
      return false;
    }
  }
}
