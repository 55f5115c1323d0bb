import { createEdgeClient, webStorage } from '@edge-controller/sdk';
import { EdgeProvider } from '@edge-controller/sdk/react';
import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';

// For a page that `server.tsx` has rendered. The first render is that of the server, whatever the client knows.
const edge = createEdgeClient(import.meta.env.EDGE_URL, { storage: webStorage('local'), keepAlive: true });
await edge.restore().catch(() => null);

hydrateRoot(
  document.querySelector('#app') ?? document.body,
  <StrictMode>
    <EdgeProvider client={edge}>
      <App />
    </EdgeProvider>
  </StrictMode>,
);
