import { useEdge } from '@edge-controller/sdk/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { explainError } from '../../api/explain-error.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { NewPasswordFields, newPasswordIn } from '../../ui/new-password-fields.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';

interface PasswordChange {
  readonly currentPassword: string;
  readonly password: string;
  readonly endOtherSessions: boolean;
}

/** Changes the password. `authenticatorId` is `null` for somebody who has none. */
export function PasswordCard({ authenticatorId }: { readonly authenticatorId: string | null }) {
  return (
    <section className="card" aria-labelledby="account-password">
      <h2 id="account-password">Password</h2>
      {authenticatorId === null ? (
        <p className="soft">You sign in without a password.</p>
      ) : (
        <PasswordForm authenticatorId={authenticatorId} />
      )}
    </section>
  );
}

function PasswordForm({ authenticatorId }: { readonly authenticatorId: string }) {
  const edge = useEdge();
  const queries = useQueryClient();
  const [isRepeated, setIsRepeated] = useState(true);
  const [endOtherSessions, setEndOtherSessions] = useState(true);
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (change: PasswordChange) => edge.client.currentIdentityAuthenticators.patch(authenticatorId, change),
    onSuccess: () => void queries.invalidateQueries(),
  });
  const refusal = error === null ? null : explainError(error);
  const errorOf = (name: string) => (refusal?.field === name ? refusal.reason : undefined);
  const atField = errorOf('currentPassword') ?? errorOf('password');

  function submit(form: HTMLFormElement): void {
    const data = new FormData(form);
    const password = newPasswordIn(data);
    setIsRepeated(password !== null);
    if (password === null) return;
    mutate(
      { currentPassword: String(data.get('current')), password, endOtherSessions },
      { onSuccess: () => form.reset() },
    );
  }

  return (
    <Form
      className="stack"
      // What the controller has refused may be sent again.
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <TextField
        name="current"
        label="Current password"
        type="password"
        autoComplete="current-password"
        error={errorOf('currentPassword')}
        isRequired
      />
      <NewPasswordFields label="New password" error={errorOf('password')} isRepeated={isRepeated} />
      <Checkbox isSelected={endOtherSessions} onChange={setEndOtherSessions}>
        Sign out everywhere else
      </Checkbox>
      {refusal !== null && atField === undefined && <Notice kind="bad">{refusal.text}</Notice>}
      {isSuccess && <Notice kind="good">The password is changed.</Notice>}
      <div className="row">
        <Button type="submit" isDisabled={isPending}>
          Change the password
        </Button>
      </div>
    </Form>
  );
}
