import type { Session } from '../../api/session.ts';
import type { EdgeClient } from '../../client/edge-client.ts';
import { controllerUrls } from '../../requests/controller-url.ts';
import { fetchOf } from '../create-session-verifier.ts';
import { ControllerRequests } from './controller-requests.ts';
import type { CookieRequest } from './cookie-request.ts';
import { KeptSessions } from './kept-sessions.ts';
import type { CookieSessionsOptions } from './options.ts';
import { checkCookieOptions } from './options.ts';
import type { CookieSession } from './page-sessions.ts';
import { PageSessions } from './page-sessions.ts';
import { Sealer } from './sealer.ts';
import { createServerClient } from './server-client.ts';
import { ServerSessions } from './server-sessions.ts';
import { SessionCookies } from './session-cookies.ts';
import type { FormCredentials, SignedOut } from './session-forms.ts';
import { SessionForms } from './session-forms.ts';
import { SessionProxy } from './session-proxy.ts';

/** The sessions of an application whose server renders its pages. Use one for all requests. */
export interface CookieSessions {
  /**
   * The session of a request, as the controller shows it: a use of the session, which extends it. A partial session is `null`
   * unless `allowPartial` is set: its user has not given the second factor. Two kinds of requests have no session: those of
   * another site, unless they are a GET; and a `fetch` of a page that still has another session.
   *
   * @throws EdgeNetworkError, EdgeTimeoutError, EdgeApiError or EdgeInvalidResponseError when the controller cannot tell. The
   *   cookie stays.
   * @example
   * async function page(request: Request): Promise<Response> {
   *   const { session, headers } = await sessions.read(request);
   *   return new Response(`Hello ${session?.identity.name ?? 'guest'}`, { headers });
   * }
   */
  read(request: CookieRequest, options?: { readonly allowPartial?: false | undefined }): Promise<CookieSession>;
  /** The session of a request, which may be partial. */
  read(request: CookieRequest, options: { readonly allowPartial: true }): Promise<CookieSession<Session | null>>;
  /**
   * A client with the session of a request, for calls on the server. Without a session it is signed out. Only its calls count:
   * when it signs in or out, the cookie does not change.
   *
   * @example
   * await using edge = await sessions.client(request);
   * const { name } = await edge.client.currentIdentity.get();
   */
  client(request: CookieRequest): Promise<EdgeClient>;
  /**
   * Signs in with what a form has sent. The new session replaces the one of the request, which ends. It may be partial: ask its
   * queries with another form, and call `answer`.
   *
   * @throws EdgeCrossSiteError when no page of the application has sent the form; EdgeApiError, see `isWrongCredentials`;
   *   EdgeNetworkError, EdgeTimeoutError or EdgeInvalidResponseError when the controller cannot be asked
   * @example
   * const form = await request.formData();
   * const credentials = { username: String(form.get('username')), password: String(form.get('password')) };
   * const { headers } = await sessions.signIn(request, credentials);
   */
  signIn(request: CookieRequest, credentials: FormCredentials): Promise<CookieSession<Session>>;
  /**
   * Answers the query of a partial session with a TOTP code or a recovery code that a form has sent.
   *
   * @throws EdgeCrossSiteError; EdgeApiError, see `isWrongCode`; EdgeAuthQueryError: `NO_SESSION`, or `STILL_ASKED`; and as `read`
   * @example
   * const { headers } = await sessions.answer(request, { code: String(form.get('code')) });
   */
  answer(request: CookieRequest, answer: { readonly code: string }): Promise<CookieSession<Session | null>>;
  /**
   * Ends the session of a request, in the cookie and on the controller.
   *
   * @throws EdgeCrossSiteError when no page of the application has sent the form
   * @example
   * const { headers } = await sessions.signOut(request);
   */
  signOut(request: CookieRequest): Promise<SignedOut>;
  /**
   * Passes a call of a page to the controller, and the response back. The page never gets the token: it has a handle, which
   * `cookieStorage` of `@edge-controller/sdk` reads. Mount it for all methods below `/edge` (or `basePath` and `/edge`).
   *
   * @example
   * new Hono().all('/edge/*', (c) => sessions.handle(c.req.raw));
   */
  handle(request: Request): Promise<Response>;
}

/**
 * Creates the sessions of an application whose server renders its pages. The server keeps the token of the API session in a cookie
 * that no script can read, or in a store. Pages call the controller through `handle`.
 *
 * @throws TypeError when an option is not valid
 * @example
 * const sessions = createCookieSessions({
 *   controller: 'https://localhost:1280',
 *   caFile: '.edge-controller/pki/ca.pem',
 *   secret: process.env.SESSION_SECRET ?? '',
 *   origin: 'https://app.example.com',
 * });
 */
export function createCookieSessions(options: CookieSessionsOptions): CookieSessions {
  checkCookieOptions(options);
  const { controller, origin, store, basePath = '', management = false, timeout = 30_000, onError } = options;
  const { cookieName = 'edge-session', clientAddress } = options;
  const sessionHeader = (options.sessionHeader ?? 'svc-session').toLowerCase();
  const fetch = fetchOf(options);
  const requests = new ControllerRequests({ controllers: controllerUrls(controller), fetch, timeout });
  const cookies = new SessionCookies({ name: cookieName, isSecure: origin.startsWith('https:') });
  const kept = new KeptSessions({ cookies, sealer: new Sealer([options.secret].flat()), store, origin });
  const addressHeaders = (request: CookieRequest) => addressHeadersOf(clientAddress?.(request));
  const sessions = new ServerSessions({ kept, requests, sessionHeader, addressHeaders });
  const createClient = (request: CookieRequest, token: string | null) =>
    createServerClient({ controller, fetch, sessionHeader, timeout }, token, addressHeaders(request));
  const common = { kept, requests, sessions, origin, sessionHeader };
  const pages = new PageSessions({ ...common, cookies, createClient });
  const forms = new SessionForms({ ...common, createClient });
  const proxy = new SessionProxy({ ...common, basePath, management, addressHeaders, onError });

  async function read(request: CookieRequest, { allowPartial = false }: { allowPartial?: boolean | undefined } = {}) {
    const found = await pages.read(request);
    return found.session?.state === 'partial' && !allowPartial ? { ...found, session: null } : found;
  }

  return {
    read: read as CookieSessions['read'],
    client: (request) => pages.client(request),
    signIn: (request, credentials) => forms.signIn(request, credentials),
    answer: (request, answer) => forms.answer(request, answer),
    signOut: (request) => forms.signOut(request),
    handle: (request) => proxy.handle(request),
  };
}

/** An address that is none could add another one to the header. */
function addressHeadersOf(address: string | null | undefined): Record<string, string> {
  return address && /^[\da-fA-F.:]{2,45}$/.test(address) ? { 'x-forwarded-for': address } : {};
}
