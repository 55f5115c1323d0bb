import { useEdge, useSignIn } from '@edge-controller/sdk/react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { tokenPlace } from '../session/edge.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import type { Method } from './method.ts';
import { PasswordForm } from './password-form.tsx';
import './sign-in.css';

const OtherMethod = lazyPart(() => import('./other-method.tsx').then(({ OtherMethod }) => OtherMethod));
const ProviderButtons = lazyPart(() =>
  import('./provider/provider-buttons.tsx').then(({ ProviderButtons }) => ProviderButtons),
);

/** Every way to sign in. */
export function SignInForm() {
  const [method, setMethod] = useState<Method>('password');
  return (
    <div className="stack">
      <Suspense fallback={<p className="soft">Loading …</p>}>
        {method === 'password' ? <PasswordForm /> : <OtherMethod method={method} />}
      </Suspense>
      <StaySignedIn />
      <div className="other-ways">
        <span className="soft">or</span>
      </div>
      <div className="sign-in-ways">
        <Providers />
        {method !== 'password' && <Button onPress={() => setMethod('password')}>Use a password</Button>}
        {method !== 'certificate' && <Button onPress={() => setMethod('certificate')}>Use a client certificate</Button>}
        {method !== 'token' && <Button onPress={() => setMethod('token')}>Use a token</Button>}
      </div>
    </div>
  );
}

function StaySignedIn() {
  const [survives, setSurvives] = useState(tokenPlace.survivesReload);
  function change(isWanted: boolean): void {
    tokenPlace.surviveReload(isWanted);
    setSurvives(isWanted);
  }
  return (
    <Checkbox isSelected={survives} onChange={change}>
      Stay signed in after a reload of this tab
    </Checkbox>
  );
}

/** The signers at whose provider a browser can sign in. Without them the other ways still work, so an error says nothing. */
function Providers() {
  const edge = useEdge();
  const { signIn, error } = useSignIn();
  const { data = [] } = useQuery({
    queryKey: ['list', 'client', 'signers'],
    queryFn: ({ signal }) => edge.signers({ signal }),
  });
  const usable = data.filter(({ externalAuthUrl, clientId }) => externalAuthUrl && clientId);
  if (usable.length === 0) return null;
  return (
    <Suspense>
      <ProviderButtons signers={usable} onToken={(getToken) => signIn.extJwt({ getToken })} error={error} />
    </Suspense>
  );
}
