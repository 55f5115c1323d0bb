import { useEdge, useSession } from '@edge-controller/sdk/react';
import type { QueryClient } from '@tanstack/react-query';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fragment, useEffect, useState } from 'react';
import { createQueryClient } from '../api/query-client.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';
import { SessionExpiring } from './session-expiring.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { SignInSteps } from './sign-in-steps.tsx';

interface Pages {
  /** Id of the identity whose pages they are; `null` before a sign-in and after a sign-out. */
  readonly owner: string | null;
  /** What the controller has told the owner, and nobody else. */
  readonly queries: QueryClient;
}

const pagesOf = (owner: string | null): Pages => ({ owner, queries: createQueryClient() });

/**
 * Shows the pages to whoever is signed in. When the session ends, they stay as they are below the sign-in, so nothing that was typed
 * is lost; they go when somebody else signs in, and after a sign-out.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const edge = useEdge();
  const { state, session } = useSession();
  const [{ owner, queries }, setPages] = useState(() => pagesOf(null));
  const isFull = session?.state === 'full';
  if (isFull && session.identity.id !== owner) setPages(pagesOf(session.identity.id));
  // Who gives up a sign-in at its second step still has the pages.
  useEffect(() => edge.on('signedOut', (ended) => ended.state === 'full' && setPages(pagesOf(null))), [edge]);
  useEffect(() => {
    // What failed without a session is asked again.
    if (isFull) void queries.invalidateQueries();
  }, [isFull, queries]);

  return (
    <QueryClientProvider client={queries}>
      {owner === null ? (
        state === 'unknown' ? (
          <p className="opening">Looking for the session …</p>
        ) : (
          <SignInPage />
        )
      ) : (
        <Fragment key={owner}>
          {children}
          <SessionExpiring />
          <Modal title={session === null ? 'Your session has ended' : 'One more step'} isOpen={!isFull}>
            <p className="soft">Sign in again. What you have typed is still here.</p>
            <SignInSteps />
            {session === null && (
              <Button kind="quiet" onPress={() => setPages(pagesOf(null))}>
                Leave these pages
              </Button>
            )}
          </Modal>
        </Fragment>
      )}
    </QueryClientProvider>
  );
}
