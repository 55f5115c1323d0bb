import { useEdge } from '@edge-controller/sdk/react';
import { useQuery } from '@tanstack/react-query';
import { PlainTable } from '../../ui/plain-table.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

/** The newest are shown. */
const limit = 10;

const labels: Readonly<Record<string, string>> = {
  'authentication.succeeded': 'Signed in',
  'authentication.failed': 'Sign-in refused',
  'identity.locked': 'Locked after wrong passwords',
  'password.changed': 'Password changed',
  'mfaCode.refused': 'Code refused',
  'mfa.enrolled': 'Authenticator app set up',
  'mfa.removed': 'Authenticator app removed',
  'recoveryCodes.replaced': 'Recovery codes replaced',
  'enrollment.redeemed': 'Enrolled',
  'entity.created': 'Password or certificate added',
  'entity.updated': 'User name, password or certificate changed',
};

/** What happened to the account, so that its owner sees what somebody else did. */
export function ActivityCard() {
  const edge = useEdge();
  const events = useQuery({
    queryKey: ['list', 'client', 'currentIdentityEvents'],
    queryFn: ({ signal }) => edge.client.currentIdentityEvents.list({ signal }),
  });
  return (
    <section className="card wide" aria-labelledby="account-activity">
      <h2 id="account-activity">Recent activity</h2>
      <p className="soft">If you do not know an address, change your password and tell an administrator.</p>
      <QueryPart query={events} what="your recent activity">
        {({ data }) => (
          <PlainTable label="Recent activity" columns={['What', 'When', 'From']}>
            {data.slice(0, limit).map(({ createdAt, event, outcome, byOwner, ipAddress }, at) => (
              <tr key={`${createdAt} ${at}`}>
                <th scope="row">
                  <span className={outcome === 'failure' ? 'badge warn' : undefined}>{labels[event] ?? event}</span>
                </th>
                <td>
                  <Timestamp at={createdAt} />
                </td>
                <td>{ipAddress ?? (byOwner ? '' : 'An administrator')}</td>
              </tr>
            ))}
          </PlainTable>
        )}
      </QueryPart>
    </section>
  );
}
