import type { ShallowRef } from 'vue';
import { onMounted, onUnmounted } from 'vue';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import { useProvided } from './provided-edge.ts';

/**
 * Returns the state of the client and its session; a check of `state` narrows `session`. It changes with every sign-in and
 * sign-out, also in another tab, with the authentication queries, and when `expiresAt` moves (at most once a second).
 *
 * @throws Error without `edgePlugin`.
 * @example
 * const current = useSession();
 * watch(current, ({ state }) => state === 'expired' && show('Your session has ended.'));
 */
export function useSession(): Readonly<ShallowRef<SessionSnapshot>> {
  const provided = useProvided();
  const { client, session, update } = provided;
  let stop: (() => void) | undefined;
  if (!provided.isHydrating) update();
  onMounted(() => {
    provided.isHydrating = false;
    update();
    stop = client.subscribe(update);
  });
  onUnmounted(() => stop?.());
  return session;
}
