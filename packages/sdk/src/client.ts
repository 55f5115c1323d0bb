import type { AuthQueryAnswers } from './auth-query.ts';
import type { PreparedCall } from './calls.ts';
import { checkName } from './check-names.ts';
import { checkOptions } from './check-options.ts';
import type { ClientCore } from './client-core.ts';
import { systemClock } from './clock.ts';
import { controllerUrls } from './controller-url.ts';
import type { EdgeClient, SignOutResult } from './edge-client.ts';
import { createEvents, eventNames } from './events.ts';
import type { ClientCalls, ManagementCalls } from './generated/calls.ts';
import { lazyCalls } from './lazy-calls.ts';
import { lazyHooks } from './lazy-hooks.ts';
import { lazyMembers } from './lazy-members.ts';
import type { Mfa } from './mfa.ts';
import type { CallOptions, EdgeClientOptions, Fetch } from './options.ts';
import { originOf } from './origin-of.ts';
import { pages } from './pages.ts';
import { createSender, isSignIn } from './sender.ts';
import type { ClientState } from './session-state.ts';
import type { SignIn } from './sign-in.ts';
import { createSignOuts } from './sign-outs.ts';
import { memoryStorage } from './storage/memory-storage.ts';
import type { Api } from './transport.ts';
import { createTransport } from './transport.ts';
import { waitFor } from './wait-for.ts';

/**
 * Creates a client of the controller at `url`, for example `https://localhost:1280`, or of several controllers of one
 * network. It sends nothing before the first call.
 *
 * With several URLs, it asks the controller that worked last. When that one does not respond or responds with a 5xx, it
 * asks the next one, if the request may be sent again (see `retries`). The session in the storage belongs to the first URL.
 *
 * @throws TypeError for a URL that cannot be used, for an unknown option, and for a `storage` or `timeout` that is none.
 * @example
 * const edge = createEdgeClient('https://localhost:1280');
 * await edge.signIn.password({ username: 'admin', password });
 * const { id } = await edge.management.identities.create({ name: 'sensor', type: 'Device', isAdmin: false });
 */
export function createEdgeClient(
  url: string | URL | readonly (string | URL)[],
  options: EdgeClientOptions = {},
): EdgeClient {
  checkOptions(options);
  const controllers = controllerUrls(url);
  const { storage = memoryStorage(), timeout = 30_000, sessionHeader = 'svc-session' } = options;
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const origins = [...controllers.map(({ origin }) => origin), ...(options.origins ?? []).map(originOf)];
  const storageKey = `edge-session ${controllers[0].base}`;
  const events = createEvents();
  const signOuts = createSignOuts();
  const disposal = new AbortController();
  const disposed = disposal.signal;
  const transport = createTransport({ controllers, fetch, retries: options.retries ?? 2, hooks: lazyHooks(options) });
  const sender = createSender({ transport, sessionHeader, timeout });
  const client = lazyCalls<ClientCalls>('client', perform);
  let loaded: ClientCore | undefined;

  const state = (): ClientState => loaded?.keeper.state() ?? 'signed-out';

  /** A page without a session, for example one with a form to sign in, does not need the code of sessions. */
  async function core(): Promise<ClientCore> {
    disposed.throwIfAborted();
    if (loaded) return loaded;
    const { createClientCore } = await import('./client-core.ts');
    disposed.throwIfAborted();
    loaded ??= createClientCore({
      ...{ options, controllers, origins, clock: systemClock, fetch, timeout, sessionHeader, storage, storageKey },
      ...{ events, signOuts, sender, client, disposed },
    });
    return loaded;
  }

  /** Loads a part of the client, and what the parts share. */
  async function part<P, T>(code: Promise<P>, use: (code: P, shared: ClientCore) => T | Promise<T>): Promise<T> {
    return use(...(await Promise.all([code, core()])));
  }

  async function perform(api: Api, call: PreparedCall): Promise<unknown> {
    disposed.throwIfAborted();
    const needsNoSession = call.row.access === 'anyone' && !isSignIn(call.row);
    return needsNoSession ? sender.perform(api, call) : (await core()).caller.perform(api, call);
  }

  async function signOut(callOptions?: CallOptions): Promise<SignOutResult> {
    disposed.throwIfAborted();
    signOuts.note();
    if (!loaded && !options.storage) return { confirmed: true };
    try {
      return await (loaded ?? (await core())).signOut(callOptions);
    } catch (error) {
      // Offline, the code cannot be loaded. Nobody but the storage knows the token then.
      await Promise.resolve(storageKey)
        .then(storage.remove)
        .catch(() => undefined);
      return { confirmed: false, error: error as Error };
    }
  }

  function dispose(): void {
    disposal.abort(new TypeError('the client was disposed of: create another one'));
    // The `fetch` functions of the Node entry keep connections.
    (options.fetch as { close?(): void } | undefined)?.close?.();
  }

  // A session may be in it, and other clients may change it.
  if (options.storage) core().catch(() => undefined);

  return {
    get session() {
      return loaded?.keeper.view() ?? null;
    },
    get state() {
      return state();
    },
    waitFor: async (states, callOptions) => waitFor({ events, state, disposed }, states, callOptions),
    signIn: lazyMembers<SignIn>(['password', 'certificate', 'extJwt'], () => {
      // From the call on, and not from when the code is there.
      const isWanted = signOuts.watch();
      return part(import('./sign-in.ts'), ({ createSignIn }, shared) => createSignIn(shared, isWanted));
    }),
    answer: lazyMembers<AuthQueryAnswers>(['totp', 'extJwt'], () =>
      part(import('./auth-queries.ts'), ({ createAnswers }, shared) => createAnswers(shared)),
    ),
    mfa: lazyMembers<Mfa>(['isEnabled', 'enroll', 'recoveryCodes', 'regenerate', 'disable'], () =>
      part(import('./mfa.ts'), ({ createMfa }, shared) => createMfa(shared)),
    ),
    signOut,
    async restore(callOptions) {
      const { caller, keeper } = await core();
      await caller.restore(callOptions);
      return keeper.view();
    },
    enroll: (enrollment, enrollOptions = {}) =>
      part(import('./redeem-enrollment.ts'), ({ redeemEnrollment }, shared) =>
        redeemEnrollment(shared, enrollment, enrollOptions),
      ),
    on(name, listener, listenOptions) {
      checkName(name, eventNames, 'event');
      return events.on(name, listener, listenOptions);
    },
    client,
    management: lazyCalls<ManagementCalls>('management', perform),
    pages,
    signers: async (callOptions) =>
      (await import('./iterate-pages.ts')).allRows(client.externalJwtSigners.list, callOptions),
    fetch: (input, init) =>
      part(import('./authenticated-fetch.ts'), ({ createAuthenticatedFetch }, shared) =>
        createAuthenticatedFetch(shared)(input, init),
      ),
    authorization: (address) =>
      part(import('./authorization.ts'), ({ authorization }, shared) => authorization(shared, address)),
    dispose,
    [Symbol.asyncDispose]: async () => dispose(),
  };
}
