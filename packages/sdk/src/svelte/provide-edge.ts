import { getContext, onMount, setContext } from 'svelte';
import { createSubscriber } from 'svelte/reactivity';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import { liveSession } from '../bindings/live.ts';
import { shownSnapshot } from '../bindings/shown-snapshot.ts';
import type { EdgeClient } from '../client/edge-client.ts';

interface ProvidedEdge {
  readonly client: EdgeClient;
  readonly session: SessionSnapshot;
}

const key = Symbol();

/**
 * Gives a client to this component and those below it. Call it while the component starts. It makes no request and does not
 * dispose the client.
 *
 * `initialSession` is for a page that a server renders: what the server knew; give the same on the server and in the browser. The
 * components show it until they are mounted, and as long as the client is `unknown`.
 *
 * @example
 * const edge = createEdgeClient('https://localhost:1280', { storage: webStorage('local') });
 * edge.restore().catch(() => null);
 * provideEdge(edge);
 */
export function provideEdge(client: EdgeClient, initialSession?: SessionSnapshot): void {
  let hydrating = initialSession;
  let update = (): void => undefined;
  const recordRead = createSubscriber((changed) => {
    update = changed;
    return client.subscribe(changed);
  });
  onMount(() => {
    hydrating = undefined;
    update();
  });
  const session = liveSession(() => {
    recordRead();
    return hydrating ?? shownSnapshot(client, initialSession);
  });
  setContext<ProvidedEdge>(key, { client, session });
}

/** Throws without `provideEdge`. */
export function useProvided(): ProvidedEdge {
  const provided = getContext<ProvidedEdge | undefined>(key);
  if (!provided) throw new Error('provideEdge(edge) is missing in a component above');
  return provided;
}
