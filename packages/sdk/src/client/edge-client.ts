import type { AuthQueryAnswers } from '../api/auth-query.ts';
import type { CallOptions } from '../api/call-options.ts';
import type { ClientState } from '../api/client-state.ts';
import type { EdgeEvents } from '../api/edge-events.ts';
import type { Enroll } from '../api/enroll.ts';
import type { Fetch } from '../api/fetch.ts';
import type { ClientCalls, ManagementCalls } from '../api/generated/calls.ts';
import type { ClientExternalJwtSignerDetail } from '../api/generated/entities.ts';
import type { Mfa } from '../api/mfa.ts';
import type { ServiceSessions } from '../api/service-sessions.ts';
import type { Services } from '../api/services.ts';
import type { Session } from '../api/session.ts';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import type { SignIn } from '../api/sign-in.ts';
import type { SignOutResult } from '../api/sign-out-result.ts';
import type { Listen } from '../lib/emitter.ts';
import type { pages } from './pages.ts';

/** A client of one edge controller. It has at most one API session at a time. */
export interface EdgeClient {
  /**
   * The current session, or `null`. It is the same object until something changes. A session from the storage appears
   * after `restore` or the first call that needs one.
   */
  readonly session: Session | null;
  /** `signed-out`, `unknown`, `partial`, `active`, `stale` or `expired`. The event `stateChange` tells when it changes. */
  readonly state: ClientState;
  /**
   * Resolves to the state as soon as it is the given one, or one of the given ones: at once, if it is so already.
   * Without `timeout` it waits without a limit.
   *
   * @throws EdgeTimeoutError after `timeout`; the reason of `signal`; TypeError at `dispose`, and for an unknown state.
   * @example await edge.waitFor(['active', 'partial'], { timeout: 10_000 });
   */
  waitFor(state: ClientState | readonly ClientState[], options?: CallOptions): Promise<ClientState>;
  readonly signIn: SignIn;
  /**
   * Answers the authentication queries of a partial session. Use it after a sign-in without `onAuthQuery`, after
   * `restore`, or when a changed policy has made the session partial. `totp` also works in a full session: a posture check of the
   * kind `MFA` may want another code when its timeout has passed.
   *
   * @example if (edge.session?.state === 'partial') await edge.answer.totp('123456');
   */
  readonly answer: AuthQueryAnswers;
  /** The second factor of the signed-in identity: TOTP and recovery codes. */
  readonly mfa: Mfa;
  /** The services of the identity: their list, and its changes. Answers posture queries. */
  readonly services: Services;
  /** Sessions for services. */
  readonly sessions: ServiceSessions;
  /**
   * Forgets the session at once, then ends it on the controller. Sign-ins that run reject with `NO_SESSION`. Without a
   * session it does nothing more. It does not throw when the controller cannot be reached: `confirmed` is then `false`, and
   * the controller keeps the session until its timeout.
   *
   * @example
   * const { confirmed } = await edge.signOut();
   * if (!confirmed) show('You are signed out here. The controller could not be told.');
   */
  signOut(options?: CallOptions): Promise<SignOutResult>;
  /**
   * Restores the session from the storage if the controller still knows it. It is no use of the session, so a reload does not
   * extend it. Calls that need a session do the same automatically. Throws when the controller cannot be reached. The token then stays in the
   * storage, the state is `unknown`, and the client asks again by itself. A partial session stays partial: `onAuthQuery` is
   * called for sign-ins only, so use `edge.answer`.
   */
  restore(options?: CallOptions): Promise<Session | null>;
  /** Redeems an enrollment at this controller: sets a password, or gets a certificate. */
  readonly enroll: Enroll;
  /**
   * Adds a listener and returns a function that removes it. Listeners run after the state has changed. What one throws goes to
   * `reportError` of the platform (in Node: a warning of the process) and, without its text, to the `logger`.
   *
   * @throws TypeError for an unknown event.
   * @example edge.on('stateChange', ({ state }) => render(state));
   */
  readonly on: Listen<EdgeEvents>;
  /**
   * Calls `listener` whenever `getSnapshot` returns another object, once for each change: of the state, the session, its queries
   * or `expiresAt` (at most once a second). Returns a function that ends this. With `getSnapshot` it is a store for a framework,
   * and both work without `edge`.
   *
   * @example const { state, session } = useSyncExternalStore(edge.subscribe, edge.getSnapshot);
   */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Returns `state` and `session` as one object, which is the same until one of them changes.
   *
   * @example
   * const snapshot = edge.getSnapshot();
   * if (snapshot.state === 'active') render(snapshot.session.identity.name);
   */
  readonly getSnapshot: () => SessionSnapshot;
  /** Calls of the Client API: `edge.client.version.get()`. */
  readonly client: ClientCalls;
  /** Calls of the Management API: `edge.management.identities.get(id)`. */
  readonly management: ManagementCalls;
  /** Iterates over all rows of a list: `edge.pages(edge.management.identities.list, query)`. */
  readonly pages: typeof pages;
  /**
   * The enabled external JWT signers, with what a person needs to get a JWT: `externalAuthUrl`, `clientId`, `scopes`,
   * `targetToken`. Needs no session.
   */
  signers(options?: CallOptions): Promise<ClientExternalJwtSignerDetail[]>;
  /** `fetch` that sends the token to the controller and to the `origins` of the options. It follows no redirects. */
  readonly fetch: Fetch;
  /**
   * The header that carries the token, for connections that `edge.fetch` cannot make: a WebSocket, server-sent events.
   * Only for the controller and the `origins` of the options (`ws:` and `wss:` count as `http:` and `https:`). A browser
   * sends no headers with a WebSocket: send the token in its first message. Do not keep it: ask again for each connection.
   *
   * @throws TypeError for another origin; EdgeAuthQueryError `NO_SESSION`.
   * @example socket.send(JSON.stringify(await edge.authorization(socket.url)));
   */
  authorization(url: string | URL): Promise<Record<string, string>>;
  /**
   * Stops timers and closes channels and connections. It does not sign out. Running calls may finish, later ones reject
   * with a `TypeError`.
   *
   * @example await using edge = createEdgeClient(url);
   */
  dispose(): void;
  /** The same as `dispose`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
