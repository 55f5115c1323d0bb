import { createEdgeClient, webStorage } from '@edge-controller/sdk';
import { EdgeProvider } from '@edge-controller/sdk/react';
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { App } from './app.tsx';

/** Renders the application on a server. The server has no session, because the token is in the browser. */
export function renderApp(): string {
  const edge = createEdgeClient(import.meta.env.EDGE_URL, { storage: webStorage('local') });
  return renderToString(
    <StrictMode>
      <EdgeProvider client={edge}>
        <App />
      </EdgeProvider>
    </StrictMode>,
  );
}
