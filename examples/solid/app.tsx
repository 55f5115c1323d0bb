import { useSession } from '@edge-controller/sdk/solid';
import { Match, Switch } from 'solid-js';
import { Account } from './account.tsx';
import { SignIn } from './sign-in.tsx';

/** Shows the view for the state of the session. */
export function App() {
  const current = useSession();
  return (
    <>
      <header>
        <h1>Edge Controller</h1>
      </header>
      <Switch fallback={<SignIn hasExpired={current.state === 'expired'} />}>
        <Match when={current.state === 'unknown'}>
          <p role="status">Looking for your session …</p>
        </Match>
        <Match when={current.session}>{(session) => <Account session={session()} state={current.state} />}</Match>
      </Switch>
    </>
  );
}
