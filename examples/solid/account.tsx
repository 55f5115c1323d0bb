import type { ClientState, Session } from '@edge-controller/sdk';
import { useEdge } from '@edge-controller/sdk/solid';
import { Show } from 'solid-js';

export function Account(props: { session: Session; state: ClientState }) {
  const edge = useEdge();
  // The state tells what goes wrong.
  const useTheSession = () => edge.client.currentIdentity.get().catch(() => null);

  return (
    <section class="view">
      <h2>Signed in as {props.session.identity.name}</h2>
      <Show when={props.state === 'partial'}>
        <p role="status">A second factor is needed: this page cannot ask for it.</p>
      </Show>
      <Show when={props.state === 'stale'}>
        <p role="status">The controller cannot be reached. Trying again …</p>
      </Show>
      <p>
        The session ends at{' '}
        <time datetime={props.session.expiresAt?.toISOString()}>{props.session.expiresAt?.toLocaleTimeString()}</time>{' '}
        unless it is used.
      </p>
      <button type="button" onClick={useTheSession}>
        Use the session
      </button>
      <div class="links">
        <button type="button" class="link" onClick={() => edge.signOut()}>
          Sign out
        </button>
      </div>
    </section>
  );
}
