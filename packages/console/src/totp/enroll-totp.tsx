import type { TotpEnrollment } from '@edge-controller/sdk';
import { useEdge, useSession } from '@edge-controller/sdk/react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Form } from '../ui/form.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { TextField } from '../ui/text-field.tsx';
import { explainCode } from './explain-code.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import './totp.css';

interface EnrollTotpProps {
  /** Called when the controller has accepted the first code. */
  readonly onDone?: () => void;
}

/** Enrolls a TOTP. Each session has one enrollment, so a second start shows the same secret. */
export function EnrollTotp({ onDone }: EnrollTotpProps) {
  const edge = useEdge();
  const { session } = useSession();
  const { data, error } = useQuery({
    queryKey: ['totp-enrollment', session?.id],
    queryFn: ({ signal }) => edge.mfa.enroll({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
    // The secret stays no longer than it is shown.
    gcTime: 0,
  });
  if (data === undefined) {
    return error === null ? <p className="soft">Loading …</p> : <ErrorNotice error={error} />;
  }
  return <Steps enrollment={data} {...(onDone && { onDone })} />;
}

interface StepsProps extends EnrollTotpProps {
  readonly enrollment: TotpEnrollment;
}

function Steps({ enrollment, onDone }: StepsProps) {
  const { provisioningUrl, secret, recoveryCodes, verify } = enrollment;
  const { mutate, isPending, error } = useMutation({
    mutationFn: (code: string) => verify(code),
    onSuccess: () => onDone?.(),
  });
  return (
    <Form validationBehavior="aria" onSubmit={(data) => mutate(String(data.get('code')))}>
      <ol className="totp-steps">
        <li>
          <h3>Scan this with the app</h3>
          <div className="row">
            <QrCode text={provisioningUrl} label="QR code for the authenticator app" />
            <div className="totp-key">
              <p className="soft">Or type this key:</p>
              <code>{inGroups(secret)}</code>
              <CopyButton label="Copy the key" text={secret} />
            </div>
          </div>
        </li>
        <li>
          <h3>Keep the recovery codes</h3>
          <p className="soft">
            Each of them signs you in once when you have lost the app. Keep them where the app is not.
          </p>
          <RecoveryCodes codes={recoveryCodes} />
        </li>
        <li>
          <h3>Enter the code that the app shows</h3>
          <TextField
            name="code"
            label="Code"
            error={explainCode(error)}
            autoComplete="one-time-code"
            inputMode="numeric"
            isRequired
          />
        </li>
      </ol>
      <Button type="submit" kind="primary" isDisabled={isPending}>
        Turn it on
      </Button>
    </Form>
  );
}

/** Groups of four are easier to type. */
function inGroups(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
