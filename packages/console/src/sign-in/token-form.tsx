import { useSignIn } from '@edge-controller/sdk/react';
import { JwtForm } from './jwt-form.tsx';

/** Signs in with a JWT that the person has from somewhere else. */
export function TokenForm() {
  const { signIn, isPending, error } = useSignIn();
  return (
    <JwtForm
      action="Sign in with the token"
      isPending={isPending}
      error={error}
      onSubmit={(token) => void signIn.extJwt({ token })}
    />
  );
}
