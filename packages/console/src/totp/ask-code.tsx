import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { TextField } from '../ui/text-field.tsx';
import { explainCode } from './explain-code.ts';

interface AskCodeProps {
  /** What the button says. */
  readonly action: string;
  readonly description: string;
  readonly isDanger?: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (code: string) => void;
}

/** Asks for a code before something secret is shown or changed. */
export function AskCode({ action, description, isDanger, isPending, error, onSubmit }: AskCodeProps) {
  return (
    <Form validationBehavior="aria" onSubmit={(data) => onSubmit(String(data.get('code')))}>
      <TextField
        name="code"
        label="Code"
        description={description}
        error={explainCode(error)}
        autoComplete="one-time-code"
        isRequired
        autoFocus
      />
      <Button type="submit" kind={isDanger ? 'danger' : 'primary'} isDisabled={isPending}>
        {action}
      </Button>
    </Form>
  );
}
