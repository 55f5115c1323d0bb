import { useAuthQueries } from '@edge-controller/sdk/react';
import { explainCode } from '../totp/explain-code.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { TextField } from '../ui/text-field.tsx';

/** Asks for the second factor of somebody who has a TOTP. */
export function CodeForm() {
  const { answer, isPending, error } = useAuthQueries();
  return (
    <Form
      // A code that was refused may be sent again: the next one can be right.
      validationBehavior="aria"
      onSubmit={(data) => void answer.totp(String(data.get('code')))}
    >
      <TextField
        name="code"
        label="Code"
        description="The code of your authenticator app, or one of your recovery codes."
        error={explainCode(error)}
        autoComplete="one-time-code"
        isRequired
        autoFocus
      />
      <Button type="submit" kind="primary" isDisabled={isPending}>
        Continue
      </Button>
    </Form>
  );
}
