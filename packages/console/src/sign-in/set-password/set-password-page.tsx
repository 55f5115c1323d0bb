import type { EdgeEnrollmentError } from '@edge-controller/sdk';
import { isEdgeEnrollmentError } from '@edge-controller/sdk';
import { useState } from 'react';
import { explainError } from '../../api/explain-error.ts';
import type { SetPasswordLink } from '../../api/set-password-link.ts';
import { edge } from '../../session/edge.ts';
import icon from '../../shell/icon.svg';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { NewPasswordFields, newPasswordIn } from '../../ui/new-password-fields.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import '../sign-in.css';

/** A person sets the first password with the link of an administrator. It needs no session. */
export function SetPasswordPage({ link }: { readonly link: SetPasswordLink }) {
  const [username, setUsername] = useState<string | null>(null);
  return (
    <main className="sign-in-page">
      <div className="card">
        <p className="sign-in-title">
          <img src={icon} alt="" width="28" height="28" /> Edge Controller
        </p>
        <h1>Set your password</h1>
        {username === null ? (
          <SetPasswordForm link={link} onSet={setUsername} />
        ) : (
          <>
            <Notice kind="good">
              The password is set. Your user name is <strong>{username}</strong>.
            </Notice>
            <p>
              <a href="/console/">Sign in</a>
            </p>
          </>
        )}
      </div>
    </main>
  );
}

interface SetPasswordFormProps {
  readonly link: SetPasswordLink;
  /** Gets the user name that belongs to the password. */
  readonly onSet: (username: string) => void;
}

function SetPasswordForm({ link: { jwt, username }, onSet }: SetPasswordFormProps) {
  const [isRepeated, setIsRepeated] = useState(true);
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const refusal = error === null ? null : explainError(error);
  const atField = refusal?.field === 'password' ? refusal.reason : undefined;

  async function submit(data: FormData): Promise<void> {
    const password = newPasswordIn(data);
    setIsRepeated(password !== null);
    if (password === null) return;
    setIsPending(true);
    setError(null);
    try {
      const enrolled = await edge.enroll({ jwt }, { password });
      onSet(enrolled.username ?? username);
    } catch (refused) {
      setError(refused);
      setIsPending(false);
    }
  }

  return (
    <Form validationBehavior="aria" onSubmit={(data) => void submit(data)}>
      {/* Password managers keep it with the password. */}
      {username && <TextField label="User name" autoComplete="username" value={username} isReadOnly />}
      <NewPasswordFields label="Password" error={atField} isRepeated={isRepeated} />
      {refusal !== null && atField === undefined && (
        <Notice kind="bad">{isEdgeEnrollmentError(error) ? explainLink(error.code) : refusal.text}</Notice>
      )}
      <Button type="submit" kind="primary" isDisabled={isPending}>
        Set the password
      </Button>
    </Form>
  );
}

function explainLink(code: EdgeEnrollmentError['code']): string {
  if (code === 'EXPIRED') return 'The link has expired. Ask an administrator for a new one.';
  if (code === 'NOT_AN_ENROLLMENT' || code === 'UNSUPPORTED_METHOD') {
    return 'This is not the whole link. Open it again as you got it, or ask an administrator for a new one.';
  }
  return 'The link was used already, or an administrator has withdrawn it. Sign in if you have a password, or ask for a new link.';
}
