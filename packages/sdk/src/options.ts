import type { SdkInfo } from '@edge-controller/shared-types';
import type { OnAuthQuery } from './auth-query.ts';
import type { Storage } from './storage/storage.ts';

/** What every call takes as its last argument. */
export interface CallOptions {
  /** Ends the call; it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, retries and body included. Default: `timeout` of the client. */
  readonly timeout?: number | undefined;
}

/** The part of the Fetch API that the SDK needs. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface EdgeClientOptions {
  /** Keeps the token of the API session between starts. Default: memory only. */
  readonly storage?: Storage | undefined;
  /** Name of the header that carries the token. Default `svc-session`. */
  readonly sessionHeader?: string | undefined;
  /** Milliseconds for one call, retries and body included. Default 30000. */
  readonly timeout?: number | undefined;
  /**
   * How often GET, HEAD and PUT are tried again after a network error, a 429 or a 503. Default 2; 0 turns it off. Calls
   * that carry a TOTP code are sent once, because the code is used up by it.
   * `Retry-After` is honoured up to 10 s; an answer that asks for more is thrown at once with its `retryAfter`.
   */
  readonly retries?: number | undefined;
  /** Further origins whose requests by `edge.fetch` carry the token: `['https://app.example.com']`. Default none. */
  readonly origins?: readonly string[] | undefined;
  /** Makes the requests. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
  /** What the application says about itself when it signs in. */
  readonly sdkInfo?: SdkInfo | undefined;
  /**
   * Answers the authentication queries of every `signIn`, for example with a TOTP code. Default none: sign-ins resolve to
   * partial sessions. It is not called for a session from the storage, nor when a policy makes a full session partial:
   * there the `session` event tells, and `edge.answer` answers.
   */
  readonly onAuthQuery?: OnAuthQuery | undefined;
  /**
   * Called when the controller no longer knows the session; it signs in again, for example with
   * `edge.signIn.password`. It runs once for all calls that met the same dead session, each of which is then sent
   * once more. When it leaves no new session behind, the calls reject with the controller's answer, when it throws,
   * with what it threw; `expired` is emitted in both cases. It must make no other call before it signs in. Its sign-in
   * may ask a person through `onAuthQuery`: the waiting calls still end at their `timeout`. A new session that is partial
   * counts as one; the calls are sent once more, and those that need a full one reject with `EdgeAuthQueryError`
   * `OUTSTANDING`.
   * With this option the local timer does not end sessions.
   */
  readonly reauthenticate?: (() => Promise<unknown>) | undefined;
}
