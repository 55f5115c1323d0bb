import { useEdge } from '@edge-controller/sdk/react';
import { useMutation } from '@tanstack/react-query';
import { AskCode } from '../../totp/ask-code.tsx';

/** Removes the TOTP and its recovery codes. */
export function RemoveTotp({ onDone }: { readonly onDone: () => void }) {
  const edge = useEdge();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (code: string) => edge.mfa.disable(code),
    onSuccess: onDone,
  });
  return (
    <>
      <p>Your sign-in will not ask for a code any more, and the recovery codes go, too.</p>
      <AskCode
        action="Remove the authenticator app"
        description="A code of your authenticator app, or a recovery code."
        isDanger
        {...{ isPending, error }}
        onSubmit={mutate}
      />
    </>
  );
}
