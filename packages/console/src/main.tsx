import { EdgeProvider } from '@edge-controller/sdk/react';
import { createBrowserHistory, RouterProvider } from '@tanstack/react-router';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { readSetPasswordLink, setPasswordPath } from './api/set-password-link.ts';
import { createConsoleRouter } from './routes.tsx';
import { edge } from './session/edge.ts';
import { applyTheme } from './shell/theme.ts';
import { returnPath } from './sign-in/provider/return-path.ts';
import { SessionGate } from './sign-in/session-gate.tsx';
import './ui/base.css';
import './ui/controls.css';

applyTheme();
const history = createBrowserHistory();
const root = createRoot(document.querySelector('#app') ?? document.body);
if (location.pathname === returnPath) void showProviderReturn();
else if (location.pathname === setPasswordPath) void showSetPassword();
else showConsole();

/** The pages of one person: a router would keep the page of the last one. */
function Pages() {
  const [router] = useState(() => createConsoleRouter(history));
  return <RouterProvider router={router} />;
}

async function showProviderReturn(): Promise<void> {
  const { ProviderReturnPage } = await import('./sign-in/provider/provider-return-page.tsx');
  root.render(<ProviderReturnPage />);
}

async function showSetPassword(): Promise<void> {
  const { SetPasswordPage } = await import('./sign-in/set-password/set-password-page.tsx');
  const show = () =>
    root.render(<SetPasswordPage key={location.hash} link={readSetPasswordLink(location.hash.slice(1))} />);
  // Another link in the same tab changes the fragment alone.
  addEventListener('hashchange', show);
  show();
}

function showConsole(): void {
  // When the controller cannot be reached, the state stays `unknown`, and the client asks again by itself.
  edge.restore().catch(() => null);
  const toStart = () => history.replace('/console/', undefined, { ignoreBlocker: true });
  root.render(
    <StrictMode>
      <EdgeProvider client={edge}>
        <SessionGate toStart={toStart}>
          <Pages />
        </SessionGate>
      </EdgeProvider>
    </StrictMode>,
  );
}
