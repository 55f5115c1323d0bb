import { EdgeProvider } from '@edge-controller/sdk/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { createConsoleRouter } from './routes.tsx';
import { edge } from './session/edge.ts';
import { SessionGate } from './session/session-gate.tsx';
import { applyTheme } from './shell/theme.ts';
import './ui/base.css';
import './ui/controls.css';

applyTheme();
// When the controller cannot be reached, the state stays `unknown`, and the client asks again by itself.
edge.restore().catch(() => null);
const router = createConsoleRouter();

createRoot(document.querySelector('#app') ?? document.body).render(
  <StrictMode>
    <EdgeProvider client={edge}>
      <QueryClientProvider client={queryClient}>
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
      </QueryClientProvider>
    </EdgeProvider>
  </StrictMode>,
);
