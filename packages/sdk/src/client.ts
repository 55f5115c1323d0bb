import type { ClientExternalJwtSignerDetail } from '@edge-controller/shared-types';
import { createAuthQueries } from './auth-queries.ts';
import type { AuthQueryAnswers } from './auth-query.ts';
import { createAuthenticatedFetch } from './authenticated-fetch.ts';
import type { Credentials } from './caller.ts';
import { createCaller } from './caller.ts';
import type { ClientCalls, ManagementCalls } from './calls.ts';
import { makeCalls } from './calls.ts';
import { systemClock } from './clock.ts';
import { controllerUrl } from './controller-url.ts';
import { createEnroll } from './create-enroll.ts';
import type { Enroll } from './enroll.ts';
import { EdgeAuthQueryError, isEdgeApiError } from './errors.ts';
import type { Events } from './events.ts';
import { createEvents } from './events.ts';
import { clientOperations, managementOperations } from './generated/operations.ts';
import type { Mfa } from './mfa.ts';
import { createMfa } from './mfa.ts';
import type { CallOptions, EdgeClientOptions, Fetch } from './options.ts';
import { pages } from './pages.ts';
import { createSecondaryTokens } from './secondary-tokens.ts';
import type { Session } from './session.ts';
import { createSessionKeeper } from './session-keeper.ts';
import type { SignIn } from './sign-in.ts';
import { createSignIn } from './sign-in.ts';
import { memoryStorage } from './storage/memory-storage.ts';
import { createTransport } from './transport.ts';

/** A client of one edge controller. It has at most one API session at a time. */
export interface EdgeClient {
  /**
   * The current session, or `null`. A session from the storage appears after `restore` or the first call that needs
   * one.
   */
  readonly session: Session | null;
  readonly signIn: SignIn;
  /**
   * Answers the authentication queries of a partial session. Use it after a sign-in without `onAuthQuery`, after
   * `restore`, or when a changed policy has made the session partial.
   *
   * @example if (edge.session?.state === 'partial') await edge.answer.totp('123456');
   */
  readonly answer: AuthQueryAnswers;
  /** The second factor of the signed-in identity: TOTP and recovery codes. */
  readonly mfa: Mfa;
  /**
   * Ends the session on the controller and in the client, also when the controller no longer knows it. Without a
   * session it does nothing. When the controller cannot be reached it throws and keeps the session, so that you can try
   * again.
   */
  signOut(options?: CallOptions): Promise<void>;
  /**
   * Restores the session from the storage if the controller still knows it. Calls that need a session do the same
   * automatically. Throws when the controller cannot be reached; the session then stays in the storage. A partial
   * session stays partial: `onAuthQuery` is called for sign-ins only, so use `edge.answer`.
   */
  restore(options?: CallOptions): Promise<Session | null>;
  /** Redeems an enrollment at this controller: sets a password, or gets a certificate. */
  readonly enroll: Enroll;
  /** Adds a listener and returns a function that removes it. Listeners run after the state has changed. */
  readonly on: Events['on'];
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
}

/**
 * Creates a client of the controller at `url`, for example `https://localhost:1280`. It sends nothing before the first
 * call.
 *
 * @example
 * const edge = createEdgeClient('https://localhost:1280');
 * await edge.signIn.password({ username: 'admin', password });
 * const { id } = await edge.management.identities.create({ name: 'sensor', type: 'Device', isAdmin: false });
 */
export function createEdgeClient(url: string | URL, options: EdgeClientOptions = {}): EdgeClient {
  const controller = controllerUrl(url);
  const { origin, base, apis } = controller;
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const sessionHeader = options.sessionHeader ?? 'svc-session';
  const { reauthenticate, storage = memoryStorage(), timeout = 30_000, retries = 2, origins = [] } = options;
  const events = createEvents();
  const endsLocally = reauthenticate === undefined;
  const storageKey = `edge-session ${base}`;
  const keeper = createSessionKeeper({ clock: systemClock, storage, storageKey, events, endsLocally });
  const transport = createTransport({ fetch, retries });
  const secondary = createSecondaryTokens(options.secondaryToken, systemClock);
  keeper.watch(() => secondary.keepOnly(keeper.token()));
  const caller = createCaller({ keeper, secondary, transport, apis, sessionHeader, timeout, reauthenticate });
  const client = makeCalls<ClientCalls>(clientOperations, (call) => caller.perform('client', call));
  const management = makeCalls<ManagementCalls>(managementOperations, (call) => caller.perform('management', call));

  const callsWith = (credentials: Credentials) =>
    makeCalls<ClientCalls>(clientOperations, (call) => caller.perform('client', call, credentials));
  const authQueries = createAuthQueries({ keeper, secondary, callsWith: (token) => callsWith({ token }) });

  async function currentToken(callOptions: CallOptions = {}): Promise<string> {
    const token = await caller.token(callOptions);
    if (token === null) throw new EdgeAuthQueryError('NO_SESSION');
    return token;
  }

  async function signOut(callOptions: CallOptions = {}): Promise<void> {
    const token = await caller.token(callOptions);
    if (token === null) return;
    await keeper.whileSigningOut(token, async () => {
      try {
        await client.currentApiSession.delete(callOptions);
      } catch (error) {
        if (!(isEdgeApiError(error) && error.status === 401)) throw error;
      }
    });
    await keeper.end(token, 'signedOut');
  }

  return {
    get session() {
      return keeper.view();
    },
    signIn: createSignIn({
      authenticate: (query, body, callOptions, jwt) =>
        callsWith(jwt === undefined ? {} : { jwt }).authentication.authenticate(query, body, callOptions),
      clock: systemClock,
      secondary,
      begin: keeper.begin,
      whileSigningIn: keeper.whileSigningIn,
      reload: authQueries.reload,
      answerAll: authQueries.answerAll,
      onAuthQuery: options.onAuthQuery,
      sdkInfo: options.sdkInfo ?? { type: '@edge-controller/sdk' },
    }),
    answer: {
      totp: async (code, callOptions) => authQueries.totp(await currentToken(callOptions), code, callOptions),
      extJwt: async (jwt, callOptions) => authQueries.extJwt(await currentToken(callOptions), jwt, callOptions),
    },
    mfa: createMfa({ client, session: keeper.view }),
    signOut,
    restore: async (callOptions = {}) => {
      await caller.token(callOptions);
      return keeper.view();
    },
    enroll: createEnroll({ client, controller, fetch, clock: systemClock, timeout }),
    on: events.on,
    client,
    management,
    pages,
    async signers(callOptions) {
      const rows: ClientExternalJwtSignerDetail[] = [];
      for await (const row of pages(client.externalJwtSigners.list, {}, callOptions)) rows.push(row);
      return rows;
    },
    fetch: createAuthenticatedFetch({
      caller,
      keeper,
      secondary,
      fetch,
      sessionHeader,
      controllerOrigin: origin,
      origins,
    }),
  };
}
