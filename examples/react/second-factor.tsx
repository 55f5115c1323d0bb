import type { TotpEnrollment } from '@edge-controller/sdk';
import { useAuthQueries, useEdge } from '@edge-controller/sdk/react';
import type { FormEvent } from 'react';
import { Problem } from './problem.tsx';
import { useAction } from './use-action.ts';

interface SecondFactorProps {
  readonly onEnroll: (enrollment: TotpEnrollment) => void;
  readonly onSignOut: () => Promise<void>;
}

export function SecondFactor({ onEnroll, onSignOut }: SecondFactorProps) {
  const edge = useEdge();
  const { queries, answer, isPending, error } = useAuthQueries();
  const enrolling = useAction(async () => onEnroll(await edge.mfa.enroll()));

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    void answer.totp(String(new FormData(event.currentTarget).get('code')));
  }

  if (!queries.some(({ typeId }) => typeId === 'MFA')) {
    return <p role="alert">This page cannot answer what the controller asks: {queries.map(({ typeId }) => typeId)}</p>;
  }
  return (
    <form className="view" onSubmit={submit}>
      <h2>Second factor</h2>
      <Problem error={error ?? enrolling.error} />
      <p>Enter the code that your authenticator app shows, or one of your recovery codes.</p>
      <label>
        Code <input name="code" className="code" autoComplete="one-time-code" required spellCheck={false} />
      </label>
      <button type="submit" disabled={isPending}>
        Continue
      </button>
      <div className="links">
        <button type="button" className="link" onClick={enrolling.run} disabled={enrolling.isPending}>
          Set up an authenticator app
        </button>
        <button type="button" className="link" onClick={onSignOut}>
          Cancel
        </button>
      </div>
    </form>
  );
}
