import type { JSX } from 'solid-js';
import { createComponent, createContext, createSignal, onCleanup, onMount, useContext } from 'solid-js';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import { liveSession } from '../bindings/live.ts';
import { shownSnapshot } from '../bindings/shown-snapshot.ts';
import type { EdgeClient } from '../client/edge-client.ts';

/** What `EdgeProvider` needs. It reads both once. */
export interface EdgeProviderProps {
  /** The client that the components below use. Create it once, outside of the components. */
  readonly client: EdgeClient;
  /**
   * For a page that a server renders: what the server knew; give the same on the server and in the browser. The components show
   * it until they are mounted, and as long as the client is `unknown`.
   */
  readonly initialSession?: SessionSnapshot | undefined;
  readonly children?: JSX.Element;
}

interface ProvidedEdge {
  readonly client: EdgeClient;
  readonly session: SessionSnapshot;
}

const EdgeContext = createContext<ProvidedEdge>();

/**
 * Gives a client to the components below it. It makes no request and does not dispose the client.
 *
 * @example
 * import { createEdgeClient, webStorage } from '@edge-controller/sdk';
 * import { EdgeProvider, useSession } from '@edge-controller/sdk/solid';
 * import { render } from 'solid-js/web';
 *
 * const edge = createEdgeClient('https://localhost:1280', { storage: webStorage('local') });
 * edge.restore().catch(() => null);
 * const App = () => <p>{useSession().state}</p>;
 * render(
 *   () => (
 *     <EdgeProvider client={edge}>
 *       <App />
 *     </EdgeProvider>
 *   ),
 *   document.body,
 * );
 */
export function EdgeProvider(props: EdgeProviderProps): JSX.Element {
  const { client, initialSession } = props;
  const [snapshot, setSnapshot] = createSignal(initialSession ?? client.getSnapshot());
  const update = () => void setSnapshot(shownSnapshot(client, initialSession));
  onMount(() => {
    update();
    onCleanup(client.subscribe(update));
  });
  return createComponent(EdgeContext.Provider, {
    value: { client, session: liveSession(snapshot) },
    get children() {
      return props.children;
    },
  });
}

/** Throws without an `EdgeProvider`. */
export function useProvided(): ProvidedEdge {
  const provided = useContext(EdgeContext);
  if (!provided) throw new Error('<EdgeProvider client={edge}> is missing above');
  return provided;
}
