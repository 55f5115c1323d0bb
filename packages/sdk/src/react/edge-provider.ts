import type { ReactElement, ReactNode } from 'react';
import { createElement } from 'react';
import type { EdgeClient } from '../client/edge-client.ts';
import { EdgeContext } from './edge-context.ts';

/** What `EdgeProvider` needs. */
export interface EdgeProviderProps {
  /** The client that the components below use. Create it once, outside of the components. */
  readonly client: EdgeClient;
  readonly children?: ReactNode;
}

/**
 * Gives a client to the components below it. It makes no request and does not dispose the client.
 *
 * @example
 * import { createEdgeClient, webStorage } from '@edge-controller/sdk';
 * import { EdgeProvider, useSession } from '@edge-controller/sdk/react';
 * import { createRoot } from 'react-dom/client';
 *
 * const edge = createEdgeClient('https://localhost:1280', { storage: webStorage('local') });
 * await edge.restore().catch(() => null);
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
export function EdgeProvider({ client, children }: EdgeProviderProps): ReactElement {
  return createElement(EdgeContext.Provider, { value: client }, children);
}
