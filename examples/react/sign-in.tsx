import { useSignIn } from '@edge-controller/sdk/react';
import type { FormEvent } from 'react';
import { Problem } from './problem.tsx';

export function SignIn() {
  const { signIn, isPending, error } = useSignIn();

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void signIn.password({ username: String(form.get('username')), password: String(form.get('password')) });
  }

  return (
    <form className="view" onSubmit={submit}>
      <h2>Sign in</h2>
      <Problem error={error} />
      <label>
        User name <input name="username" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button type="submit" disabled={isPending}>
        Sign in
      </button>
    </form>
  );
}
