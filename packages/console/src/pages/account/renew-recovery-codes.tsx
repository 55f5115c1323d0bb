import { useEdge } from '@edge-controller/sdk/react';
import { useMutation } from '@tanstack/react-query';
import { AskCode } from '../../totp/ask-code.tsx';

/** Replaces all recovery codes. Reading the new ones needs another code. */
export function RenewRecoveryCodes({ onDone }: { readonly onDone: () => void }) {
  const edge = useEdge();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (code: string) => edge.mfa.regenerate(code),
    onSuccess: onDone,
  });
  return (
    <>
      <p>
        The recovery codes that you have now will not work any more. You see the new ones with another code of the app.
      </p>
      <AskCode
        action="Replace the recovery codes"
        description="A code of your authenticator app, or a recovery code."
        {...{ isPending, error }}
        onSubmit={mutate}
      />
    </>
  );
}
