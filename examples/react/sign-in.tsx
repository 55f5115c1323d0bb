import { useEdge } from '@edge-controller/sdk/react';
import type { FormEvent } from 'react';
import { Problem } from './problem.tsx';
import { useAction } from './use-action.ts';

export function SignIn() {
  const edge = useEdge();
  const { run, isPending, error } = useAction((form: FormData) =>
    edge.signIn.password({ username: String(form.get('username')), password: String(form.get('password')) }),
  );

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    void run(new FormData(event.currentTarget));
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
