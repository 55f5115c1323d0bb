import { useEdge, useSession } from '@edge-controller/sdk/react';
import { useQuery } from '@tanstack/react-query';
import { QueryPart } from '../../ui/query-part.tsx';
import { CredentialsCard } from './credentials-card.tsx';
import { IdentityCard } from './identity-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TotpCard } from './totp-card.tsx';
import './account.css';

/** The account of the person who is signed in. */
export function AccountPage() {
  const edge = useEdge();
  const { session } = useSession();
  const identity = useQuery({
    queryKey: ['entity', 'client', 'currentIdentity'],
    queryFn: ({ signal }) => edge.client.currentIdentity.get({ signal }),
  });
  return (
    <>
      <h1>Your account</h1>
      <QueryPart query={identity} what="your identity">
        {(person) => (
          <div className="account">
            <div className="stack">
              <IdentityCard identity={person} />
              <TotpCard />
            </div>
            <PasswordCard authenticatorId={person.authenticators.updb?.id ?? null} />
            <SessionsCard sessionId={session?.id ?? null} identityId={person.id} />
            <CredentialsCard />
          </div>
        )}
      </QueryPart>
    </>
  );
}
