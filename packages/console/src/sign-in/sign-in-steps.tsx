import { useSession } from '@edge-controller/sdk/react';
import { PasswordForm } from './password-form.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';

/** What the person has to do next to have a full session. */
export function SignInSteps() {
  const { session } = useSession();
  return session?.state === 'partial' ? <SecondFactorForm /> : <PasswordForm />;
}
