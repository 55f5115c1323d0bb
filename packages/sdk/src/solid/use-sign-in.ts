import { createSignal } from 'solid-js';
import type { SignInSnapshot } from '../bindings/live.ts';
import { liveSignIn } from '../bindings/live.ts';
import { idle } from '../bindings/progress.ts';
import { trackSignIn } from '../bindings/sign-in-actions.ts';
import { useEdge } from './use-edge.ts';

/**
 * Returns the functions of `edge.signIn`, whether one of them runs, and why the last one failed. `isPending` and `error` are
 * reactive: do not destructure the object.
 *
 * @throws Error when there is no `EdgeProvider` above the component.
 * @example
 * function SignIn() {
 *   const form = useSignIn();
 *   return (
 *     <button disabled={form.isPending} onClick={() => form.signIn.certificate()}>
 *       {isWrongCredentials(form.error) ? 'Your certificate is not accepted' : 'Sign in with your certificate'}
 *     </button>
 *   );
 * }
 */
export function useSignIn(): SignInSnapshot {
  const [progress, setProgress] = createSignal(idle);
  return liveSignIn(trackSignIn(useEdge(), setProgress), progress);
}
