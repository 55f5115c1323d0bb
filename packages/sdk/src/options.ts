import type { SdkInfo } from '@edge-controller/shared-types';
import type { OnAuthQuery } from './auth-query.ts';
import type { SecondaryToken } from './secondary-tokens.ts';
import type { Storage } from './storage/storage.ts';

/** The last argument of every call. */
export interface CallOptions {
  /** Aborts the call. The call then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, including retries and the body. Default: `timeout` of the client. */
  readonly timeout?: number | undefined;
}

/** The part of the Fetch API that the SDK needs. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface EdgeClientOptions {
  /** Stores the token of the API session, so that a restarted application can use it. Default: in memory. */
  readonly storage?: Storage | undefined;
  /** Name of the header with the token. Default `svc-session`. */
  readonly sessionHeader?: string | undefined;
  /** Milliseconds for one call, including retries and the body. Default 30000. */
  readonly timeout?: number | undefined;
  /**
   * How often GET, HEAD and PUT are tried again after a network error, a 429 or a 503. Default 2; 0 turns retries off.
   * A call with a TOTP code in its header is sent once, because each code is accepted once. The client waits for
   * `Retry-After` up to 10 s; with a longer `Retry-After` the call rejects at once with an error that has `retryAfter`.
   */
  readonly retries?: number | undefined;
  /** More origins to which `edge.fetch` sends the token: `['https://app.example.com']`. Default: none. */
  readonly origins?: readonly string[] | undefined;
  /** Sends the requests. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
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
   * - If it creates no new session, the calls reject with the error of the controller. If it throws, they reject with
   *   that error. The client emits `expired` in both cases.
   * - If the new session is partial, calls that need a full session reject with `EdgeAuthQueryError` `OUTSTANDING`.
   * - It must not make other calls before it signs in.
   * - Its sign-in may ask a person through `onAuthQuery`. The waiting calls still end at their `timeout`.
   *
   * With this option the local timer does not end sessions. Default: none.
   */
  readonly reauthenticate?: (() => Promise<unknown>) | undefined;
}
