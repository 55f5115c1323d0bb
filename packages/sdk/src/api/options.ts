import type { OnAuthQuery } from './auth-query.ts';
import type { EdgeClock } from './edge-clock.ts';
import type { Fetch } from './fetch.ts';
import type { SdkInfo } from './generated/entities.ts';
import type { PostureProvider } from './posture-provider.ts';
import type { SecondaryToken } from './secondary-token.ts';
import type { TokenStorage } from './token-storage.ts';

/** A request as hooks see it: without the token and the JWTs, which the client adds afterwards. */
export interface EdgeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** `onRequest` may change them. */
  readonly headers: Headers;
}

/**
 * Takes messages: `console`, or a logger like pino.
 *
 * @example
 * const edge = createEdgeClient(url, { logger: console });
 */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * Options of `createEdgeClient`.
 *
 * @example
 * const options: EdgeClientOptions = { storage: webStorage('local'), timeout: 5_000 };
 * const edge = createEdgeClient('https://localhost:1280', options);
 */
export interface EdgeClientOptions {
  /**
   * Stores the token of the API session, so that a restarted application can use it. Clients and pages with one storage
   * share one session. Default: in memory, for this client only.
   */
  readonly storage?: TokenStorage | undefined;
  /** Name of the header with the token. Default `svc-session`. */
  readonly sessionHeader?: string | undefined;
  /** Milliseconds for one call, including retries and the body. Default 30000. */
  readonly timeout?: number | undefined;
  /**
   * How often a request is sent again after a network error, 429, 502, 503 or 504. Default 2; 0 turns retries off. With
   * several controllers: how often again after all of them have failed.
   *
   * GET, HEAD and sign-ins are sent again in all these cases; other requests only when no controller has executed
   * them: after a refused connection, and after a 429 of the controller. A request with a TOTP code is not sent again after a
   * response or a lost connection, because each code is accepted once.
   *
   * The client waits for `Retry-After` and up to a quarter longer. When it is longer than 10 s, or than the time that is
   * left, the call rejects at once with an error that has `retryAfter`.
   */
  readonly retries?: number | undefined;
  /** More origins to which `edge.fetch` sends the token: `['https://app.example.com']`. Default: none. */
  readonly origins?: readonly string[] | undefined;
  /** Sends the requests. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
  /**
   * Headers of every request to the controller, or a function that returns them. The headers that a call needs win.
   * Default: none. In a page, the CORS settings of the controller must allow them.
   *
   * @example createEdgeClient(url, { headers: { 'x-request-source': 'console' } })
   */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((request: EdgeRequest) => Readonly<Record<string, string>>)
    | undefined;
  /**
   * Runs before every request to the controller, also before one that is sent again. It may change `request.headers`.
   * When it throws, the call rejects with its error. `edge.fetch` does not run it. Default: none.
   *
   * @example createEdgeClient(url, { onRequest: ({ headers }) => headers.set('x-trace', traceId()) })
   */
  readonly onRequest?: ((request: EdgeRequest) => unknown) | undefined;
  /**
   * Runs after every response of the controller, whatever its status. When it throws, the call rejects with its error. It
   * gets a copy of the response. The copy of a sign-in contains the token. Default: none.
   *
   * @example createEdgeClient(url, { onResponse: ({ url }, { status }) => count(url, status) })
   */
  readonly onResponse?: ((request: EdgeRequest, response: Response) => unknown) | undefined;
  /**
   * Takes messages about the requests: each response (`debug`), each request that is sent again (`warn`), each call
   * without a response (`error`). Also each listener that throws (`error`), and each origin that gets no token from `edge.fetch`
   * (`warn`, once). They contain addresses and statuses, but no queries, headers, bodies or texts of the application, so no
   * secrets. Default: none.
   *
   * @example createEdgeClient(url, { logger: console })
   */
  readonly logger?: Logger | undefined;
  /**
   * Sends the header `traceparent` (W3C trace context): `true` begins a trace with each call; a function returns the
   * value of the current trace. When a request is sent again, the trace stays and the span id is new. Default false.
   *
   * @example createEdgeClient(url, { traceparent: () => currentTraceparent() })
   */
  readonly traceparent?: boolean | (() => string) | undefined;
  /** Information about the application, sent at every sign-in. Default: the name of this package as `type`. */
  readonly sdkInfo?: SdkInfo | undefined;
  /**
   * Answers the authentication queries of every sign-in, for example with a TOTP code. Default: none, and a sign-in
   * with outstanding queries resolves to a partial session. It is not called for a session from the storage, nor when a
   * changed policy makes a full session partial. In these cases listen to the `session` event and use `edge.answer`.
   */
  readonly onAuthQuery?: OnAuthQuery | undefined;
  /**
   * The JWT that is a second factor. The client sends it to the controller with every sign-in and every request of a
   * session, never to other origins. It asks `getToken` once for all calls: when it has no JWT, shortly before the JWT
   * expires, and when the controller shows the `EXT-JWT` query of the signer although the JWT was sent. The call is then
   * sent once more. While `getToken` returns `null`, requests have no JWT, and sessions that need one are partial. The
   * JWT stays in memory until the session ends. Default: none.
   *
   * @example createEdgeClient(url, { secondaryToken: { getToken: () => readFile('/var/run/jwt', 'utf8') } })
   */
  readonly secondaryToken?: SecondaryToken | undefined;
  /**
   * Signs in again, for example with `edge.signIn.password`. The client calls it when the controller no longer knows
   * the session. It runs once for all calls that failed with the same session. Each of these calls is then sent once
   * more.
   *
   * - If the session of a stored token ended while no client was there, it runs at the first call that needs a session;
   *   `restore` does not run it.
   * - If it creates no new session, the calls reject with the error of the controller. If it throws, they reject with
   *   that error. The client emits `expired` in both cases, but not for a session that was only in the storage.
   * - If the new session is partial, calls that need a full session reject with `EdgeAuthQueryError` `OUTSTANDING`.
   * - If the new session belongs to another identity, no call is repeated.
   * - It must not make other calls before it signs in.
   * - Its sign-in may ask a person through `onAuthQuery`. The waiting calls still end at their `timeout`.
   * - Of several clients or pages with one storage, one signs in. The others take over its session.
   *
   * Pass `signal` to the sign-in: it aborts when `reauthenticate` takes longer than `reauthenticateTimeout`, when somebody
   * signs out meanwhile, and at `dispose`. Default: none.
   *
   * @example createEdgeClient(url, { reauthenticate: ({ signal }) => edge.signIn.password(credentials, { signal }) })
   */
  readonly reauthenticate?: Reauthenticate | undefined;
  /**
   * Proves again who uses the session, for example with `edge.answer.totp(code)` or `edge.signIn.password(credentials)`. The client
   * calls it when the controller refuses a call with `STEP_UP_REQUIRED`: the sign-in and the last code are too long ago for a change
   * of how the identity signs in. The session goes on. Afterwards the call is sent once more, with what it was given.
   *
   * - It runs once for all calls that wait, and may take as long as a person needs. The `timeout` of a call begins anew after it.
   * - If it throws, the calls reject with its error.
   * - If it proves nothing, they reject with the error of the controller.
   * - If it signs in, the former session ends. If it signs in as another identity, no call is repeated.
   *
   * Default: none, and the calls reject with `EdgeApiError` `STEP_UP_REQUIRED`.
   *
   * @example
   * createEdgeClient(url, {
   *   onStepUp: async ({ proofs }) => proofs.includes('code') && edge.answer.totp(await ask('Code')),
   * })
   */
  readonly onStepUp?: OnStepUp | undefined;
  /** Milliseconds that `reauthenticate` may take. A person may be asked in this time. Default 60000. */
  readonly reauthenticateTimeout?: number | undefined;
  /**
   * Extends the session before it ends. Of several clients or pages with one storage, one does it.
   *
   * - `true`: in a browser while a page is visible; in Node while the application has a reference to the client
   * - `'always'`: in hidden pages, too
   *
   * Default `false`: a session ends when no call is made during its timeout.
   */
  readonly keepAlive?: boolean | 'always' | undefined;
  /**
   * What the client can say about its device. `edge.services` and `edge.sessions` ask it when posture queries of services ask, and
   * send the answers. In Node `devicePosture()` returns one, in a page `pagePosture()`. Default: none, and posture queries are not
   * answered.
   *
   * @example createEdgeClient(url, { posture: { domain: () => 'CORP' } })
   */
  readonly posture?: PostureProvider | undefined;
  /**
   * The time by which the client measures its session and its JWTs. For tests: pass `controller.clock` of `/testing`. Default: the
   * clock of the machine.
   */
  readonly clock?: EdgeClock | undefined;
}

/**
 * Proves again who uses the session. `proofs`: what helps, `code` for a TOTP or recovery code of the identity, `signIn` for a new
 * sign-in.
 *
 * @example
 * const onStepUp: OnStepUp = async ({ proofs }) => {
 *   if (proofs.includes('code')) return edge.answer.totp(await ask('Code'));
 *   return edge.signIn.password({ username, password: await ask('Password') });
 * };
 */
export type OnStepUp = (request: { readonly proofs: readonly ('code' | 'signIn')[] }) => unknown;

/** Signs in again. `signal` aborts at `reauthenticateTimeout`, at a sign-out and at `dispose`. */
export type Reauthenticate = (request: { readonly signal: AbortSignal }) => Promise<unknown>;
