import { isWrongCode } from '@edge-controller/sdk';
import { useAuthQueries, useEdge } from '@edge-controller/sdk/react';
import { Form } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';

export function SecondFactorForm() {
  const edge = useEdge();
  const { answer, isPending, error } = useAuthQueries();
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void answer.totp(String(new FormData(event.currentTarget).get('code')));
      }}
    >
      <TextField
        name="code"
        label="Code"
        description="The code of your authenticator app, or one of your recovery codes."
        autoComplete="one-time-code"
        isRequired
      />
      {isWrongCode(error) ? <Notice kind="bad">The code is wrong.</Notice> : <ErrorNotice error={error} />}
      <div className="row">
        <Button type="submit" kind="primary" isDisabled={isPending}>
          Continue
        </Button>
        <Button kind="quiet" onPress={() => void edge.signOut()}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}
