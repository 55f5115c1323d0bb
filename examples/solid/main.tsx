import { createEdgeClient, webStorage } from '@edge-controller/sdk';
import { EdgeProvider } from '@edge-controller/sdk/solid';
import { render } from 'solid-js/web';
import '../browser-sign-in/style.css';
import { App } from './app.tsx';

const edge = createEdgeClient(import.meta.env.EDGE_URL, { storage: webStorage('local'), keepAlive: true });
// When the controller cannot be reached, the state stays `unknown`, and the client asks again by itself.
edge.restore().catch(() => null);

render(
  () => (
    <EdgeProvider client={edge}>
      <App />
    </EdgeProvider>
  ),
  document.querySelector('#app') ?? document.body,
);
