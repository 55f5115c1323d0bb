import { createSubscriber } from 'svelte/reactivity';
import type { SignInSnapshot } from '../bindings/live.ts';
import { liveSignIn } from '../bindings/live.ts';
import { idle } from '../bindings/progress.ts';
import { trackSignIn } from '../bindings/sign-in-actions.ts';
import { useEdge } from './use-edge.ts';

/**
 * Returns the functions of `edge.signIn`, whether one of them runs, and why the last one failed. `isPending` and `error` are
 * reactive: do not destructure the object. Call it while the component starts.
 *
 * @throws Error without `provideEdge`.
 * @example
 * const form = useSignIn();
 * const submit = () => form.signIn.password({ username, password });
 * const message = () => (isWrongCredentials(form.error) ? 'User name or password are not right.' : null);
 */
export function useSignIn(): SignInSnapshot {
  let progress = idle;
  let update = (): void => undefined;
  const recordRead = createSubscriber((changed) => {
    update = changed;
  });
  const tracked = trackSignIn(useEdge(), (next) => {
    progress = next;
    update();
  });
  return liveSignIn(tracked, () => {
    recordRead();
    return progress;
  });
}
