import { useSession } from '@edge-controller/sdk/react';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fragment, useEffect, useState } from 'react';
import { SignInPage } from '../sign-in/sign-in-page.tsx';
import { SignInSteps } from '../sign-in/sign-in-steps.tsx';
import { Modal } from '../ui/modal.tsx';

/**
 * Shows the pages to whoever is signed in. When the session ends, they stay as they are below the sign-in, so nothing that was typed
 * is lost; they go when somebody else signs in, and after a sign-out.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const { state, session } = useSession();
  const [owner, setOwner] = useState<string | null>(null);
  const isFull = session?.state === 'full';
  if (isFull && session.identity.id !== owner) setOwner(session.identity.id);
  if (state === 'signed-out' && owner !== null) setOwner(null);
  // The next owner sees nothing of the last one.
  useEffect(() => () => queries.clear(), [owner]);
  useEffect(() => {
    // What failed without a session is asked again.
    if (isFull) void queries.invalidateQueries();
  }, [isFull, queries]);

  if (owner === null) {
    return state === 'unknown' ? <p className="opening">Looking for the session …</p> : <SignInPage />;
  }
  return (
    <Fragment key={owner}>
      {children}
      <Modal title={session === null ? 'Your session has ended' : 'One more step'} isOpen={!isFull}>
        <p className="soft">Sign in again. What you have typed is still here.</p>
        <SignInSteps />
      </Modal>
    </Fragment>
  );
}
