import { isWrongCredentials } from '@edge-controller/sdk';
import { useSignIn } from '@edge-controller/sdk/react';
import { Button } from '../ui/button.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';

export function CertificateForm() {
  const { signIn, isPending, error } = useSignIn();
  return (
    <div className="stack">
      <p>The browser shows a certificate that is installed in it. It asks you which one, or has asked already.</p>
      {isWrongCredentials(error) ? (
        <Notice kind="bad">
          The browser has sent no certificate, or one that may not sign in. A browser asks once: to choose again, close
          all of its windows.
        </Notice>
      ) : (
        <ErrorNotice error={error} />
      )}
      <Button kind="primary" isDisabled={isPending} onPress={() => void signIn.certificate()}>
        Sign in with a certificate
      </Button>
    </div>
  );
}
