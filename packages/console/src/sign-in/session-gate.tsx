import { useEdge, useSession } from '@edge-controller/sdk/react';
import type { QueryClient } from '@tanstack/react-query';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fragment, Suspense, useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { createQueryClient } from '../api/query-client.ts';
import { forgetOwner, takeAddress } from '../session/last-owner.ts';
import { Button } from '../ui/button.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { Modal } from '../ui/modal.tsx';
import { PagesPlace } from './pages-place.tsx';
import { SessionExpiring } from './session-expiring.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { SignInSteps } from './sign-in-steps.tsx';

const StepUpDialog = lazyPart(() => import('./step-up-dialog.tsx').then(({ StepUpDialog }) => StepUpDialog));

interface Pages {
  /** Id of the identity whose pages they are; `null` before a sign-in and after a sign-out. */
  readonly owner: string | null;
  /** What the controller has told the owner, and nobody else. */
  readonly queries: QueryClient;
}

const pagesOf = (owner: string | null): Pages => ({ owner, queries: createQueryClient() });

interface SessionGateProps {
  /** Makes the start page the next one. */
  readonly toStart: () => void;
  readonly children: ReactNode;
}

/**
 * Shows the pages to whoever is signed in. When the session ends, they leave the document, and stay in memory: they come back as they
 * were when the same person signs in again, so nothing that was typed is lost. They go when somebody else signs in, and after a sign-out. Then the next person begins at the start page.
 */
export function SessionGate({ toStart, children }: SessionGateProps) {
  const edge = useEdge();
  const { state, session } = useSession();
  const [{ owner, queries }, setPages] = useState(() => pagesOf(null));
  const isFull = session?.state === 'full';
  const nextOwner = isFull && session.identity.id !== owner ? session.identity.id : null;

  const leave = useCallback(() => {
    forgetOwner();
    toStart();
    setPages(pagesOf(null));
  }, [toStart]);

  // Before the browser paints, and before the pages of the next owner read the address.
  useLayoutEffect(() => {
    if (nextOwner === null) return;
    if (takeAddress(nextOwner)) toStart();
    setPages(pagesOf(nextOwner));
  }, [nextOwner, toStart]);
  // Who gives up a sign-in at its second step still has the pages.
  useEffect(() => edge.on('signedOut', (ended) => ended.state === 'full' && leave()), [edge, leave]);
  useEffect(() => {
    // What failed without a session is asked again.
    if (isFull) void queries.invalidateQueries();
  }, [isFull, queries]);

  return (
    <QueryClientProvider client={queries}>
      {owner === null || nextOwner !== null ? (
        state === 'unknown' || nextOwner !== null ? (
          <p className="opening">Looking for the session …</p>
        ) : (
          <SignInPage />
        )
      ) : (
        <Fragment key={owner}>
          <PagesPlace isShown={isFull}>
            {children}
            <SessionExpiring />
            <Suspense>
              <StepUpDialog />
            </Suspense>
          </PagesPlace>
          <Modal title={session === null ? 'Your session has ended' : 'One more step'} isOpen={!isFull}>
            <p className="soft">Sign in again, and the page comes back with what you have typed.</p>
            <SignInSteps />
            {session === null && (
              <Button kind="quiet" onPress={leave}>
                Leave these pages
              </Button>
            )}
          </Modal>
        </Fragment>
      )}
    </QueryClientProvider>
  );
}
