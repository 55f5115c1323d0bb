import { useEdge, useSession } from '@edge-controller/sdk/react';
import { useQuery } from '@tanstack/react-query';
import { EnrollTotp } from '../totp/enroll-totp.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { CodeForm } from './code-form.tsx';

/** Asks for a TOTP code; or enrolls a TOTP when the auth policy asks for one and the identity has none. */
export function TotpStep() {
  const edge = useEdge();
  const { session } = useSession();
  const { data: isEnabled, error } = useQuery({
    queryKey: ['entity', 'client', 'mfa', session?.id],
    queryFn: ({ signal }) => edge.mfa.isEnabled({ signal }),
    gcTime: 0,
  });
  if (error !== null) return <ErrorNotice error={error} />;
  if (isEnabled === undefined) return <p className="soft">Loading …</p>;
  if (isEnabled) return <CodeForm />;
  return (
    <>
      <h2>Set up an authenticator app</h2>
      <p>Your sign-in asks for the code of an authenticator app, and you have none yet.</p>
      <EnrollTotp />
    </>
  );
}
