import { useEdge } from '@edge-controller/sdk/react';
import { useMutation } from '@tanstack/react-query';
import { AskCode } from '../../totp/ask-code.tsx';
import { RecoveryCodes } from '../../totp/recovery-codes.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Shows the recovery codes that are left. */
export function ShowRecoveryCodes() {
  const edge = useEdge();
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: (code: string) => edge.mfa.recoveryCodes(code),
    // The codes stay no longer than they are shown.
    gcTime: 0,
  });
  if (data === undefined) {
    return (
      <AskCode
        action="Show the recovery codes"
        description="The next code of your authenticator app. A code counts once."
        {...{ isPending, error }}
        onSubmit={mutate}
      />
    );
  }
  if (data.length === 0) return <Notice>No recovery code is left. Make new ones.</Notice>;
  return <RecoveryCodes codes={data} />;
}
