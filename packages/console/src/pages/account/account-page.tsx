import { useSession } from '@edge-controller/sdk/react';
import { useOwnIdentity } from '../../api/rights.ts';
import { QueryPart } from '../../ui/query-part.tsx';
import { ActivityCard } from './activity-card.tsx';
import { CredentialsCard } from './credentials-card.tsx';
import { IdentityCard } from './identity-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ServicesCard } from './services-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TotpCard } from './totp-card.tsx';
import './account.css';
import { PageHeading } from '../../ui/page-heading.tsx';

/** The account of the person who is signed in. */
export function AccountPage() {
  const { session } = useSession();
  const identity = useOwnIdentity();
  return (
    <>
      <PageHeading title="Your account" />
      <QueryPart query={identity} what="your identity">
        {(person) => (
          <div className="account">
            <div className="stack">
              <IdentityCard identity={person} />
              <TotpCard />
            </div>
            <PasswordCard authenticatorId={person.authenticators.updb?.id ?? null} />
            {!person.isAdmin && <ServicesCard />}
            <SessionsCard sessionId={session?.id ?? null} />
            <CredentialsCard />
            <ActivityCard />
          </div>
        )}
      </QueryPart>
    </>
  );
}
