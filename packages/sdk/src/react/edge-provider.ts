import type { ReactElement, ReactNode } from 'react';
import { createElement, useMemo } from 'react';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import type { EdgeClient } from '../client/edge-client.ts';
import { EdgeContext } from './edge-context.ts';

/** What `EdgeProvider` needs. */
export interface EdgeProviderProps {
  /** The client that the components below use. Create it once, outside of the components. */
  readonly client: EdgeClient;
  /**
   * What the server knew when it rendered the page; give the same on the server and in the browser. The hooks return it on the
   * server, while the page hydrates, and as long as the client is `unknown`. Later values are ignored. Default: `unknown`.
   */
  readonly initialSession?: SessionSnapshot | undefined;
  readonly children?: ReactNode;
}

const unknown: SessionSnapshot = Object.freeze({ state: 'unknown', session: null });

/**
 * Gives a client to the components below it. It makes no request and does not dispose the client.
 *
 * @example
 * import { createEdgeClient, webStorage } from '@edge-controller/sdk';
 * import { EdgeProvider, useSession } from '@edge-controller/sdk/react';
 * import { createRoot } from 'react-dom/client';
 *
 * const edge = createEdgeClient('https://localhost:1280', { storage: webStorage('local') });
 * edge.restore().catch(() => null);
 * createRoot(document.body).render(
 *   <EdgeProvider client={edge}>
 *     <App />
 *   </EdgeProvider>,
 * );
 *
 * function App() {
 *   return <p>{useSession().state}</p>;
 * }
 */
export function EdgeProvider({ client, initialSession, children }: EdgeProviderProps): ReactElement {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page was rendered once, so a later object changes nothing.
  const value = useMemo(() => ({ client, initial: initialSession ?? unknown }), [client]);
  return createElement(EdgeContext.Provider, { value }, children);
}
