import type { Fetch } from '../api/fetch.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import { loadRest } from '../chunks/load.ts';
import { checkName } from '../lib/check-names.ts';
import { createEmitter } from '../lib/emitter.ts';
import { Epoch } from '../lib/epoch.ts';
import { originOf } from '../lib/origin-of.ts';
import { controllerUrls } from '../requests/controller-url.ts';
import type { ClientEvents } from '../session/client-events.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import { checkOptions } from './check-options.ts';
import { apiCalls, serviceMembers, sessionMembers } from './client-members.ts';
import type { EdgeClient } from './edge-client.ts';
import { eventNames } from './event-names.ts';
import { pages } from './pages.ts';
import { prefetch } from './prefetch.ts';
import { SessionLoader } from './session-loader.ts';
import { waitFor } from './wait-for.ts';

/**
 * Creates a client of the controller at `url`, for example `https://localhost:1280`, or of several controllers of one
 * network. It sends nothing before the first call.
 *
 * With several URLs, it asks the controller that worked last. When that one does not respond or responds with a 5xx, it
 * asks the next one, if the request may be sent again (see `retries`). The session in the storage belongs to the first URL.
 *
 * @throws TypeError for a URL that cannot be used, for an unknown option, and for an invalid `storage` or `timeout`.
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
  const events: ClientEvents = createEmitter();
  const signOuts = new Epoch();
  const disposal = new AbortController();
  const disposed = disposal.signal;
  const { client, management } = apiCalls(() => session);
  const session: SessionLoader = new SessionLoader({
    ...{ options, controllers, origins, fetch, timeout, sessionHeader, storage, storageKey },
    ...{ events, signOuts, client, disposed, loadRest },
  });

  function dispose(): void {
    disposal.abort(new TypeError('the client was disposed of: create another one'));
    // The `fetch` functions of the Node entry keep connections.
    (options.fetch as { close?(): void } | undefined)?.close?.();
  }

  // A session may be in it, and other clients may change it.
  if (options.storage) session.load().catch(() => undefined);
  prefetch(disposed);

  return {
    get session() {
      return session.snapshot.session;
    },
    get state() {
      return session.snapshot.state;
    },
    waitFor: async (states, callOptions) =>
      waitFor({ events, state: () => session.snapshot.state, disposed }, states, callOptions),
    ...sessionMembers(session, signOuts),
    ...serviceMembers(session, signOuts),
    signOut: async (callOptions) => session.signOut(callOptions),
    restore: async (callOptions) => session.restore(callOptions),
    on(name, listener, listenOptions) {
      checkName(name, eventNames, 'event');
      return events.on(name, listener, listenOptions);
    },
    subscribe: (listener) => session.subscribe(listener),
    getSnapshot: () => session.snapshot,
    client,
    management,
    pages,
    signers: (callOptions) =>
      session.with(loadRest, ({ allRows }) => allRows(client.externalJwtSigners.list, callOptions)),
    dispose,
    [Symbol.asyncDispose]: async () => dispose(),
  };
}
