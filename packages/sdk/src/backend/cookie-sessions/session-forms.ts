import type { Session } from '../../api/session.ts';
import type { CookieRequest } from './cookie-request.ts';
import { isCrossSiteWrite } from './cookie-request.ts';
import { EdgeCrossSiteError } from './cross-site-error.ts';
import type { KeptSession, KeptSessions } from './kept-sessions.ts';
import { handleOf } from './kept-sessions.ts';
import type { CookieSession } from './page-sessions.ts';
import { cookieSession } from './page-sessions.ts';
import type { ServerClient } from './server-client.ts';
import type { ServerSessions } from './server-sessions.ts';

/** What a form for a sign-in has: user name and password, or the JWT of an external signer. */
export type FormCredentials = { readonly username: string; readonly password: string } | { readonly token: string };

/**
 * The result of a sign-out with a form.
 *
 * @example
 * const { confirmed }: SignedOut = await sessions.signOut(request);
 */
export interface SignedOut extends CookieSession<null> {
  /** Whether the controller knows it. Otherwise it keeps the session until its timeout, and nobody has its token. */
  readonly confirmed: boolean;
}

interface SessionFormsParts {
  readonly kept: KeptSessions;
  readonly sessions: Pick<ServerSessions, 'begin' | 'end'>;
  readonly origin: string;
  readonly createClient: (request: CookieRequest, token: string | null) => ServerClient;
}

/** The sessions of requests that send plain forms. */
export class SessionForms {
  readonly #parts: SessionFormsParts;

  constructor(parts: SessionFormsParts) {
    this.#parts = parts;
  }

  async signIn(request: CookieRequest, credentials: FormCredentials): Promise<CookieSession<Session>> {
    this.#checkOrigin(request);
    const { edge, token } = this.#parts.createClient(request, null);
    try {
      const session = await ('token' in credentials
        ? edge.signIn.extJwt({ token: credentials.token })
        : edge.signIn.password({ username: credentials.username, password: credentials.password }));
      const kept: KeptSession = { token: token() ?? '', handle: handleOf(session.id) };
      return cookieSession(session, await this.#parts.sessions.begin(request, kept));
    } finally {
      edge.dispose();
    }
  }

  async answer(request: CookieRequest, { code }: { readonly code: string }): Promise<CookieSession<Session | null>> {
    this.#checkOrigin(request);
    const found = await this.#parts.kept.open(request);
    const { edge } = this.#parts.createClient(request, found?.token ?? null);
    try {
      await edge.restore();
      await edge.answer.totp(code);
      return cookieSession(edge.session);
    } finally {
      edge.dispose();
    }
  }

  async signOut(request: CookieRequest): Promise<SignedOut> {
    this.#checkOrigin(request);
    const { kept, sessions } = this.#parts;
    const found = await kept.open(request);
    const cookies = await kept.drop(request);
    const confirmed = found === null || (await sessions.end(found));
    return { ...cookieSession(null, cookies), confirmed };
  }

  #checkOrigin(request: CookieRequest): void {
    const { origin } = this.#parts;
    // Whatever the method of the form is: it changes who is signed in.
    const write = { method: 'POST', headers: request.headers };
    if (isCrossSiteWrite(write, origin)) throw new EdgeCrossSiteError(request, origin);
  }
}
