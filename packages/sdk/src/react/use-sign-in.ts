import { useMemo, useState } from 'react';
import type { SignInSnapshot } from '../bindings/live.ts';
import type { Progress } from '../bindings/progress.ts';
import { idle } from '../bindings/progress.ts';
import { trackSignIn } from '../bindings/sign-in-actions.ts';
import { useEdge } from './use-edge.ts';

/**
 * Returns the functions of `edge.signIn`, whether one of them runs, and why the last one failed.
 *
 * @throws Error when there is no `EdgeProvider` above the component.
 * @example
 * function SignIn() {
 *   const { signIn, isPending, error } = useSignIn();
 *   async function submit(form: FormData) {
 *     await signIn.password({ username: String(form.get('username')), password: String(form.get('password')) });
 *   }
 *   return (
 *     <form action={submit}>
 *       <input name="username" autoComplete="username" required />
 *       <input name="password" type="password" autoComplete="current-password" required />
 *       <button disabled={isPending}>Sign in</button>
 *       {isWrongCredentials(error) && <p role="alert">User name or password are not right.</p>}
 *     </form>
 *   );
 * }
 */
export function useSignIn(): SignInSnapshot {
  const edge = useEdge();
  const [progress, setProgress] = useState<Progress>(idle);
  const tracked = useMemo(() => trackSignIn(edge, setProgress), [edge]);
  return { ...tracked, ...progress };
}
