import { isWrongCredentials } from '@edge-controller/sdk';
import { useSignIn } from '@edge-controller/sdk/react';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';

export function PasswordForm() {
  const { signIn, isPending, error } = useSignIn();

  function submit(data: FormData): void {
    void signIn.password({ username: String(data.get('username')), password: String(data.get('password')) });
  }

  return (
    <Form onSubmit={submit}>
      <TextField name="username" label="User name" autoComplete="username" isRequired autoFocus />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" isRequired />
      {isWrongCredentials(error) ? (
        <Notice kind="bad">
          User name or password are not right. The controller says the same of a locked or disabled account.
        </Notice>
      ) : (
        <ErrorNotice error={error} />
      )}
      <Button type="submit" kind="primary" isDisabled={isPending}>
        Sign in
      </Button>
    </Form>
  );
}
