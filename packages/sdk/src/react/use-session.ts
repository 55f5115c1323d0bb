import { useMemo, useSyncExternalStore } from 'react';
import type { Session } from '../api/session.ts';
import type { EdgeClient } from '../client/edge-client.ts';
import { useEdge } from './use-edge.ts';

/** What `useSession` returns. */
export interface SessionSnapshot {
  readonly state: EdgeClient['state'];
  /** The session, or `null` in the states `signed-out` and `expired`. */
  readonly session: Session | null;
}

const onServer: SessionSnapshot = Object.freeze({ state: 'signed-out', session: null });

/**
 * Returns the state of the client and its session. The component renders again when one of them changes: after a sign-in or
 * sign-out, also in another tab, when the authentication queries change, and when `expiresAt` moves (at most once a
 * second). The returned object is the same until then.
 *
 * On a server, and while the page hydrates, the state is `signed-out`.
 *
 * @throws Error when there is no `EdgeProvider` above the component.
 * @example
 * function Account() {
 *   const { state, session } = useSession();
 *   if (session === null) return <p>{state === 'expired' ? 'Your session has ended.' : 'Sign in, please.'}</p>;
 *   return <p>Signed in as {session.identity.name} until {session.expiresAt?.toLocaleTimeString()}</p>;
 * }
 */
export function useSession(): SessionSnapshot {
  const edge = useEdge();
  const { subscribe, read } = useMemo(() => storeOf(edge), [edge]);
  return useSyncExternalStore(subscribe, read, () => onServer);
}

function storeOf(edge: EdgeClient) {
  let last = onServer;
  return {
    read(): SessionSnapshot {
      const { state, session } = edge;
      if (last.state !== state || last.session !== session) last = { state, session };
      return last;
    },
    subscribe(onChange: () => void): () => void {
      const removers = (['stateChange', 'session', 'extended'] as const).map((event) => edge.on(event, onChange));
      return () => {
        for (const remove of removers) remove();
      };
    },
  };
}
