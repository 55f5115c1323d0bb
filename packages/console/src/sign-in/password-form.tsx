import { isWrongCredentials } from '@edge-controller/sdk';
import { useSignIn } from '@edge-controller/sdk/react';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { tokenPlace } from '../session/edge.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';

export function PasswordForm() {
  const { signIn, isPending, error } = useSignIn();
  const [survives, setSurvives] = useState(false);

  function submit(data: FormData): void {
    tokenPlace.surviveReload(survives);
    void signIn.password({ username: String(data.get('username')), password: String(data.get('password')) });
  }

  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
      <TextField name="username" label="User name" autoComplete="username" isRequired />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" isRequired />
      <Checkbox isSelected={survives} onChange={setSurvives}>
        Stay signed in when this tab is loaded again
      </Checkbox>
      {isWrongCredentials(error) ? (
        <Notice kind="bad">User name or password are not right.</Notice>
      ) : (
        <ErrorNotice error={error} />
      )}
      <Button type="submit" kind="primary" isDisabled={isPending}>
        Sign in
      </Button>
    </Form>
  );
}
