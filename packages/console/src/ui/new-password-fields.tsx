import { TextField } from './text-field.tsx';

interface NewPasswordFieldsProps {
  readonly label: string;
  /** Why the controller refuses the password. */
  readonly error?: string | undefined;
  /** False when the second field had another password than the first. */
  readonly isRepeated: boolean;
}

/** A password that a person sets, twice. */
export function NewPasswordFields({ label, error, isRepeated }: NewPasswordFieldsProps) {
  const shared = { type: 'password', autoComplete: 'new-password', isRequired: true } as const;
  return (
    <>
      <TextField {...shared} name="new" label={label} error={error} />
      <TextField
        {...shared}
        name="repeated"
        label={`${label} again`}
        error={isRepeated ? undefined : 'This is not the same password.'}
      />
    </>
  );
}

/** The password, or `null` when the fields have two different ones. */
export function newPasswordIn(data: FormData): string | null {
  const password = String(data.get('new'));
  return password === data.get('repeated') ? password : null;
}
