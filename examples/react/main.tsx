import { createEdgeClient, webStorage } from '@edge-controller/sdk';
import { EdgeProvider } from '@edge-controller/sdk/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../browser-sign-in/style.css';
import { App } from './app.tsx';

const edge = createEdgeClient(import.meta.env.EDGE_URL, { storage: webStorage('local'), keepAlive: true });
// When the controller cannot be reached, the state stays `unknown`, and the client asks again by itself.
edge.restore().catch(() => null);

createRoot(document.querySelector('#app') ?? document.body).render(
  <StrictMode>
    <EdgeProvider client={edge}>
      <App />
    </EdgeProvider>
  </StrictMode>,
);
