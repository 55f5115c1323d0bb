import { useSyncExternalStore } from 'react';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import { shownSnapshot } from '../bindings/shown-snapshot.ts';
import { useProvided } from './use-provided.ts';

/**
 * Returns the state of the client and its session; a check of `state` narrows `session`. The component renders again when one of
 * them changes: after a sign-in or sign-out, also in another tab, when the authentication queries change, and when `expiresAt`
 * moves (at most once a second). The returned object is the same until then.
 *
 * On a server, and while the page hydrates, it is `initialSession` of the `EdgeProvider`: `unknown` unless given.
 *
 * @throws Error when there is no `EdgeProvider` above the component.
 * @example
 * function Account() {
 *   const { state, session } = useSession();
 *   if (state === 'unknown') return <p>One moment …</p>;
 *   if (session === null) return <p>{state === 'expired' ? 'Your session has ended.' : 'Sign in, please.'}</p>;
 *   return <p>Signed in as {session.identity.name} until {session.expiresAt?.toLocaleTimeString()}</p>;
 * }
 */
export function useSession(): SessionSnapshot {
  const { client, initial } = useProvided();
  return useSyncExternalStore(
    client.subscribe,
    () => shownSnapshot(client, initial),
    () => initial,
  );
}
