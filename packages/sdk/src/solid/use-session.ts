import type { SessionSnapshot } from '../api/session-snapshot.ts';
import { useProvided } from './edge-provider.ts';

/**
 * Returns the state of the client and its session; a check of `state` narrows `session`. The object stays the same, and its
 * members are reactive: they change with every sign-in and sign-out, also in another tab, with the authentication queries, and
 * when `expiresAt` moves (at most once a second). Do not destructure it.
 *
 * @throws Error when there is no `EdgeProvider` above the component.
 * @example
 * function Account() {
 *   const current = useSession();
 *   return <p>{current.session ? `Signed in as ${current.session.identity.name}` : current.state}</p>;
 * }
 */
export function useSession(): SessionSnapshot {
  return useProvided().session;
}
