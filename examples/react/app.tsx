import type { TotpEnrollment } from '@edge-controller/sdk';
import { useSession } from '@edge-controller/sdk/react';
import { useState } from 'react';
import { Account } from './account.tsx';
import { EnrollTotp } from './enroll-totp.tsx';
import { SecondFactor } from './second-factor.tsx';
import { SignIn } from './sign-in.tsx';
import { useSignOut } from './use-sign-out.ts';

/** Shows the view for the state of the session: not known yet, none, partial or full. */
export function App() {
  const { state, session } = useSession();
  const { signOut, wasElsewhere } = useSignOut();
  const [enrollment, setEnrollment] = useState<TotpEnrollment | null>(null);

  function view() {
    if (state === 'unknown') return <p role="status">Looking for your session …</p>;
    if (session === null) return <SignIn />;
    if (enrollment !== null) return <EnrollTotp enrollment={enrollment} onDone={() => setEnrollment(null)} />;
    if (session.state === 'partial') return <SecondFactor onEnroll={setEnrollment} onSignOut={signOut} />;
    return <Account session={session} onEnroll={setEnrollment} onSignOut={signOut} />;
  }

  return (
    <>
      <header>
        <h1>Edge Controller</h1>
      </header>
      {state === 'expired' && <p role="status">Your session has ended. Please sign in again.</p>}
      {state === 'stale' && <p role="status">The controller cannot be reached. Trying again …</p>}
      {session === null && wasElsewhere && <p role="status">You have signed out in another tab.</p>}
      {view()}
    </>
  );
}
