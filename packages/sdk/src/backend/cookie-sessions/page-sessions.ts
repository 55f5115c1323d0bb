import type { FullSession, Session } from '../../api/session.ts';
import type { EdgeClient } from '../../client/edge-client.ts';
import type { CookieRequest } from './cookie-request.ts';
import { isCrossSiteWrite } from './cookie-request.ts';
import type { KeptSessions } from './kept-sessions.ts';
import type { ServerClient } from './server-client.ts';
import type { ServerSessions } from './server-sessions.ts';
import type { SessionCookies } from './session-cookies.ts';

/**
 * The session of a request.
 *
 * @example
 * const { session, headers }: CookieSession = await sessions.read(request);
 */
export interface CookieSession<S extends Session | null = FullSession | null> {
  readonly session: S;
  /** Append them to the response: `Set-Cookie`, and that no cache may keep it. */
  readonly headers: Headers;
}

interface PageSessionsParts {
  readonly cookies: SessionCookies;
  readonly kept: KeptSessions;
  readonly sessions: Pick<ServerSessions, 'read' | 'end'>;
  readonly origin: string;
  readonly sessionHeader: string;
  readonly createClient: (request: CookieRequest, token: string | null) => ServerClient;
}

/** The sessions of requests that ask for pages. */
export class PageSessions {
  readonly #parts: PageSessionsParts;

  constructor(parts: PageSessionsParts) {
    this.#parts = parts;
  }

  async read(request: CookieRequest): Promise<CookieSession<Session | null>> {
    const { cookies, kept, sessions } = this.#parts;
    if (this.#isForeign(request)) return cookieSession(null);
    const found = await kept.open(request);
    // A script of a page has removed the handle, because the user has signed out and the server could not be told.
    const isSignedOut = found !== null && cookies.handle(request) !== found.handle;
    if (isSignedOut) await sessions.end(found);
    const session = found && !isSignedOut ? await sessions.read(request, found) : null;
    const isOver = session === null && cookies.isPresent(request);
    return cookieSession(session, isOver ? await kept.drop(request) : []);
  }

  async client(request: CookieRequest): Promise<EdgeClient> {
    const { cookies, kept, createClient } = this.#parts;
    const found = this.#isForeign(request) ? null : await kept.open(request);
    const isCurrent = found !== null && cookies.handle(request) === found.handle;
    return createClient(request, isCurrent ? found.token : null).edge;
  }

  /** Whether it comes from another site, or from a page that has another session than the cookie. */
  #isForeign(request: CookieRequest): boolean {
    const { cookies, origin, sessionHeader } = this.#parts;
    const handle = request.headers.get(sessionHeader);
    return isCrossSiteWrite(request, origin) || (handle !== null && handle !== cookies.handle(request));
  }
}

export function cookieSession<S extends Session | null>(session: S, cookies: readonly string[] = []): CookieSession<S> {
  const headers = new Headers({ 'cache-control': 'private, no-store', vary: 'cookie' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return { session, headers };
}
