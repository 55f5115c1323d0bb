import type { ReactNode } from 'react';
import { createContext, useCallback, useEffect, useState } from 'react';
import './status-message.css';

/** Milliseconds for which a message stays. */
const shownTime = 6_000;

/** Says in a short sentence what was done. It stands on the next page, too. */
export const SayDone = createContext<(text: string) => void>(() => undefined);

/** The place of the messages of all pages in it. A message takes no focus, and goes by itself. */
export function StatusMessages({ children }: { readonly children: ReactNode }) {
  const [message, setMessage] = useState<{ readonly text: string } | null>(null);
  const say = useCallback((text: string) => setMessage({ text }), []);
  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => setMessage(null), shownTime);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <>
      <SayDone value={say}>{children}</SayDone>
      {/* Screen readers speak what comes into a place that they know, also while a dialog hides the rest of the page. */}
      <div className="status-message" role="status" data-live-announcer="true">
        {message !== null && <p className="notice good">{message.text}</p>}
      </div>
    </>
  );
}
