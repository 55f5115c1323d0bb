import type { AuthenticatorDetail } from '@edge-controller/sdk';
import { useEdge } from '@edge-controller/sdk/react';
import { useQuery } from '@tanstack/react-query';
import { DownloadButton } from '../../ui/download-button.tsx';
import { PlainTable } from '../../ui/plain-table.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

/** An identity has few authenticators: at most one password, and one certificate for each enrollment. */
const limit = 100;

/** What the person can sign in with. */
export function CredentialsCard() {
  const edge = useEdge();
  const authenticators = useQuery({
    queryKey: ['list', 'client', 'currentIdentityAuthenticators'],
    queryFn: ({ signal }) => edge.client.currentIdentityAuthenticators.list({ limit }, { signal }),
  });
  return (
    <section className="card wide" aria-labelledby="account-credentials">
      <h2 id="account-credentials">What you sign in with</h2>
      <QueryPart query={authenticators} what="your authenticators">
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft">Neither a password nor a certificate: you sign in with tokens.</p>
          ) : (
            <PlainTable label="Authenticators" columns={['Kind', 'Name', 'Since', 'Renewal', 'Certificate']}>
              {data.map((authenticator) => (
                <Row key={authenticator.id} authenticator={authenticator} />
              ))}
            </PlainTable>
          )
        }
      </QueryPart>
    </section>
  );
}

function Row({ authenticator }: { readonly authenticator: AuthenticatorDetail }) {
  const { method, username, fingerprint = '', createdAt, certPem } = authenticator;
  return (
    <tr>
      <td>{method === 'updb' ? 'Password' : 'Certificate'}</td>
      <td>{method === 'updb' ? username : <code>{fingerprint}</code>}</td>
      <td>
        <Timestamp at={createdAt} />
      </td>
      <td>
        <Renewal authenticator={authenticator} />
      </td>
      <td>
        {certPem && (
          <DownloadButton label="Download" fileName={`certificate-${fingerprint.slice(0, 8)}.pem`} text={certPem} />
        )}
      </td>
    </tr>
  );
}

function Renewal({ authenticator }: { readonly authenticator: AuthenticatorDetail }) {
  const { method, isExtendRequested, isKeyRollRequested, isIssuedByNetwork, extendRequestedAt } = authenticator;
  if (method === 'updb') return '–';
  if (!isIssuedByNetwork) return 'By the CA that has issued it';
  if (!isExtendRequested) return 'Not asked for';
  return (
    <>
      <span className="badge warn">{isKeyRollRequested ? 'Asked for, with a new key' : 'Asked for'}</span>{' '}
      {extendRequestedAt && <Timestamp at={extendRequestedAt} />}
    </>
  );
}
