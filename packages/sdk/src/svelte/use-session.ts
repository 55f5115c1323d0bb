import type { SessionSnapshot } from '../api/session-snapshot.ts';
import { useProvided } from './provide-edge.ts';

/**
 * Returns the state of the client and its session; a check of `state` narrows `session`. The object stays the same, and its
 * members are reactive: they change with every sign-in and sign-out, also in another tab, with the authentication queries, and
 * when `expiresAt` moves (at most once a second). Do not destructure it. Call it while the component starts.
 *
 * @throws Error without `provideEdge`.
 * @example
 * const current = useSession();
 * const name = () => current.session?.identity.name; // in markup: {current.session?.identity.name}
 */
export function useSession(): SessionSnapshot {
  return useProvided().session;
}
