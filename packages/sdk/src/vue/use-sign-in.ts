import type { Ref } from 'vue';
import { computed, shallowRef } from 'vue';
import { idle } from '../bindings/progress.ts';
import type { TrackedSignIn } from '../bindings/sign-in-actions.ts';
import { trackSignIn } from '../bindings/sign-in-actions.ts';
import { useEdge } from './use-edge.ts';

/** What `useSignIn` returns. */
export interface SignInRefs extends TrackedSignIn {
  /** Whether a sign-in of this component is under way, also while it waits for `onAuthQuery`. */
  readonly isPending: Readonly<Ref<boolean>>;
  /** Why the last sign-in of this component failed, or `null`. The next one and `reset` clear it. */
  readonly error: Readonly<Ref<unknown>>;
}

/**
 * Returns the functions of `edge.signIn`, whether one of them runs, and why the last one failed.
 *
 * @throws Error without `edgePlugin`.
 * @example
 * const { signIn, isPending, error } = useSignIn();
 * const submit = () => signIn.password({ username, password });
 * const message = computed(() => isWrongCredentials(error.value) && 'User name or password are not right.');
 */
export function useSignIn(): SignInRefs {
  const progress = shallowRef(idle);
  const tracked = trackSignIn(useEdge(), (next) => {
    progress.value = next;
  });
  return {
    ...tracked,
    isPending: computed(() => progress.value.isPending),
    error: computed(() => progress.value.error),
  };
}
