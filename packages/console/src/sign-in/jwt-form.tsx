import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { TextField } from '../ui/text-field.tsx';
import { explainJwt } from './explain-jwt.ts';

interface JwtFormProps {
  /** What the button says. */
  readonly action: string;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (token: string) => void;
}

/** Asks for a JWT of an external signer. */
export function JwtForm({ action, isPending, error, onSubmit }: JwtFormProps) {
  return (
    <Form
      // The browser would hide the reason of the controller.
      validationBehavior="aria"
      onSubmit={(data) => onSubmit(String(data.get('token')))}
    >
      <TextField
        name="token"
        label="Token"
        description="A JWT of a signer that this controller trusts. It begins with eyJ."
        error={error === null ? undefined : explainJwt(error)}
        rows={5}
        autoComplete="off"
        spellCheck="false"
        isRequired
        autoFocus
      />
      <Button type="submit" kind="primary" isDisabled={isPending}>
        {action}
      </Button>
    </Form>
  );
}
