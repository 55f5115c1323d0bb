import { useAuthQueries } from '@edge-controller/sdk/react';
import { useState } from 'react';
import { explainError } from '../api/explain-error.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { NewPasswordFields, newPasswordIn } from '../ui/new-password-fields.tsx';
import { Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';

/** Asks for a new password in place of one that somebody else has set. */
export function NewPasswordStep() {
  const { answer, isPending, error } = useAuthQueries();
  const [isRepeated, setIsRepeated] = useState(true);
  const refusal = error === null ? null : explainError(error);
  const errorOf = (name: string) => (refusal?.field === name ? refusal.reason : undefined);
  const atField = errorOf('currentPassword') ?? errorOf('password');

  function submit(data: FormData): void {
    const password = newPasswordIn(data);
    setIsRepeated(password !== null);
    if (password !== null) void answer.newPassword({ currentPassword: String(data.get('current')), password });
  }

  return (
    <>
      <h2>Choose a new password</h2>
      <p>Somebody else has set your password. Choose one that only you know.</p>
      {/* What the controller has refused may be sent again. */}
      <Form validationBehavior="aria" onSubmit={submit}>
        <TextField
          name="current"
          label="Current password"
          type="password"
          autoComplete="current-password"
          error={errorOf('currentPassword')}
          isRequired
          autoFocus
        />
        <NewPasswordFields label="New password" error={errorOf('password')} isRepeated={isRepeated} />
        {refusal !== null && atField === undefined && <Notice kind="bad">{refusal.text}</Notice>}
        <Button type="submit" kind="primary" isDisabled={isPending}>
          Continue
        </Button>
      </Form>
    </>
  );
}
