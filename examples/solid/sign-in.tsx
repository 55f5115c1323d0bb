import { isWrongCredentials } from '@edge-controller/sdk';
import { useSignIn } from '@edge-controller/sdk/solid';
import { Show } from 'solid-js';

export function SignIn(props: { hasExpired: boolean }) {
  const form = useSignIn();

  function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    void form.signIn.password({ username: String(data.get('username')), password: String(data.get('password')) });
  }

  return (
    <form class="view" onSubmit={submit}>
      <h2>Sign in</h2>
      <Show when={props.hasExpired}>
        <p role="status">Your session has ended.</p>
      </Show>
      <Show when={form.error}>
        {(error) => (
          <p role="alert">{isWrongCredentials(error()) ? 'User name or password are not right.' : String(error())}</p>
        )}
      </Show>
      <label>
        User name <input name="username" autocomplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autocomplete="current-password" required />
      </label>
      <button type="submit" disabled={form.isPending}>
        Sign in
      </button>
    </form>
  );
}
