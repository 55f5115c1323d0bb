import { useEffect } from 'react';
import { returnChannel, returnPath } from './return-path.ts';

/** The page to which a provider sends the browser back. It tells its address to the page that waits for it, and closes. */
export function ProviderReturnPage() {
  useEffect(() => {
    const channel = new BroadcastChannel(returnChannel);
    channel.addEventListener('message', ({ data }) => data === 'received' && window.close());
    channel.postMessage(location.href);
    // The code can be used once. It does not stay in the history.
    history.replaceState(null, '', returnPath);
    return () => channel.close();
  }, []);
  return (
    <main className="sign-in-page">
      <div className="card">
        <h1>Go on in the other window</h1>
        <p>The console has what it needs. You can close this window.</p>
      </div>
    </main>
  );
}
