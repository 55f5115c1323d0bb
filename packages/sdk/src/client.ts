import type { AuthQueryAnswers } from './auth-query.ts';
import { createCaller } from './caller.ts';
import { checkNames } from './check-names.ts';
import type { ClientCore } from './client-core.ts';
import { systemClock } from './clock.ts';
import { controllerUrls } from './controller-url.ts';
import type { EdgeClient, SignOutResult } from './edge-client.ts';
import { createEvents } from './events.ts';
import type { ClientCalls, ManagementCalls } from './generated/calls.ts';
import { lazyCalls } from './lazy-calls.ts';
import { lazyHooks } from './lazy-hooks.ts';
import { lazyMembers } from './lazy-members.ts';
import { lazySecondary } from './lazy-secondary.ts';
import type { Mfa } from './mfa.ts';
import { optionNames } from './option-names.ts';
import type { CallOptions, EdgeClientOptions, Fetch } from './options.ts';
import { originOf } from './origin-of.ts';
import { pages } from './pages.ts';
import { callOf, endRow } from './session-calls.ts';
import { createSessionKeeper } from './session-keeper.ts';
import type { SessionEnd } from './session-message.ts';
import { isSessionRefusal } from './session-refusal.ts';
import type { SignIn } from './sign-in.ts';
import { memoryStorage } from './storage/memory-storage.ts';
import { createTransport } from './transport.ts';
import { waitFor } from './wait-for.ts';

/**
 * Creates a client of the controller at `url`, for example `https://localhost:1280`, or of several controllers of one
 * network. It sends nothing before the first call.
 *
 * With several URLs, it asks the controller that worked last. When that one does not respond or responds with a 5xx, it
 * asks the next one, if the request may be sent again (see `retries`). The session in the storage belongs to the first URL.
 *
 * @throws TypeError for a URL that cannot be used, and for an unknown option.
 * @example
 * const edge = createEdgeClient('https://localhost:1280');
 * await edge.signIn.password({ username: 'admin', password });
 * const { id } = await edge.management.identities.create({ name: 'sensor', type: 'Device', isAdmin: false });
 */
export function createEdgeClient(
  url: string | URL | readonly (string | URL)[],
  options: EdgeClientOptions = {},
): EdgeClient {
  checkNames(options, optionNames, 'option');
  const controllers = controllerUrls(url);
  const { storage = memoryStorage(), timeout = 30_000, sessionHeader = 'svc-session' } = options;
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const origins = [...controllers.map(({ origin }) => origin), ...(options.origins ?? []).map(originOf)];
  const storageKey = `edge-session ${controllers[0].base}`;
  const events = createEvents();
  const disposal = new AbortController();
  const disposed = disposal.signal;
  const keeper = createSessionKeeper({
    ...{ clock: systemClock, storage, storageKey, events },
    sharing: () => sharing,
  });
  // Nobody else has the default storage. Without the code, the client does not hear of the others.
  const sharing = options.storage
    ? import('./share-session.ts').then(({ shareSession }) => shareSession(core)).catch(() => null)
    : null;
  const secondary = lazySecondary(options.secondaryToken, { events, keeper, clock: systemClock });
  let care: Promise<void> | undefined;
  let replacement: ((token: string) => Promise<SessionEnd>) | undefined;
  const caller = createCaller({
    ...{ keeper, secondary, sessionHeader, timeout, disposed },
    transport: createTransport({ controllers, fetch, retries: options.retries ?? 2, hooks: lazyHooks(options) }),
    async replace(token) {
      const { createReplacement } = await import('./replace-session.ts');
      replacement ??= createReplacement(core);
      return replacement(token);
    },
  });
  const client = lazyCalls<ClientCalls>('client', caller.perform);
  const core: ClientCore = {
    ...{ options, controllers, origins, clock: systemClock, fetch, timeout, sessionHeader, storage, storageKey },
    ...{ events, keeper, secondary, caller, client, disposed },
  };

  async function signOut(callOptions?: CallOptions): Promise<SignOutResult> {
    keeper.throwIfDisposed();
    keeper.cancelSignIns();
    let token: string | null;
    try {
      token = keeper.token() ?? (await keeper.readStored());
    } catch (error) {
      return { confirmed: false, error: error as Error };
    }
    if (!token) return { confirmed: true };
    const forgotten = keeper.end(token, 'signedOut').then(
      () => undefined,
      (error: Error) => error,
    );
    try {
      const response = await caller.ask(token, callOf(endRow, callOptions));
      if (!isSessionRefusal(response)) response.read();
    } catch (error) {
      return { confirmed: false, error: error as Error };
    }
    const error = await forgotten;
    return error ? { confirmed: true, error } : { confirmed: true };
  }

  events.on('sessionChange', () => {
    care ??= import('./session-care.ts').then(({ startSessionCare }) => startSessionCare(core));
    // Without the code, the session ends with the first call that the controller refuses. The next session tries again.
    care.catch(() => {
      care = undefined;
    });
  });
  if (options.keepAlive) {
    import('./keep-alive.ts').then(({ startKeepAlive }) => startKeepAlive(core)).catch(() => undefined);
  }

  function dispose(): void {
    keeper.dispose();
    disposal.abort(new TypeError('the client was disposed of'));
    void sharing?.then((channel) => channel?.close());
    // The `fetch` functions of the Node entry keep connections.
    (options.fetch as { close?(): void } | undefined)?.close?.();
  }

  return {
    get session() {
      return keeper.view();
    },
    get state() {
      return keeper.state();
    },
    waitFor: async (states, callOptions) => waitFor(core, states, callOptions),
    signIn: lazyMembers<SignIn>(['password', 'certificate', 'extJwt'], async () =>
      (await import('./sign-in.ts')).createSignIn(core),
    ),
    answer: lazyMembers<AuthQueryAnswers>(['totp', 'extJwt'], async () =>
      (await import('./auth-queries.ts')).createAnswers(core),
    ),
    mfa: lazyMembers<Mfa>(['isEnabled', 'enroll', 'recoveryCodes', 'regenerate', 'disable'], async () =>
      (await import('./mfa.ts')).createMfa(core),
    ),
    signOut,
    async restore(callOptions) {
      await caller.token(callOptions);
      return keeper.view();
    },
    enroll: async (enrollment, enrollOptions = {}) =>
      (await import('./redeem-enrollment.ts')).redeemEnrollment(core, enrollment, enrollOptions),
    on: events.on,
    client,
    management: lazyCalls<ManagementCalls>('management', caller.perform),
    pages,
    signers: async (callOptions) =>
      (await import('./iterate-pages.ts')).allRows(client.externalJwtSigners.list, callOptions),
    fetch: async (input, init) =>
      (await import('./authenticated-fetch.ts')).createAuthenticatedFetch(core)(input, init),
    authorization: async (address) => (await import('./authorization.ts')).authorization(core, address),
    dispose,
    [Symbol.asyncDispose]: async () => dispose(),
  };
}
