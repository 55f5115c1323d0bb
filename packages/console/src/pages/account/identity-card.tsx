import type { IdentityDetail } from '@edge-controller/sdk';
import { Timestamp } from '../../ui/timestamp.tsx';
import { permissionWords } from './permission-words.ts';

/** Who the person is for the controller. */
export function IdentityCard({ identity }: { readonly identity: IdentityDetail }) {
  const { name, type, authenticators, externalId, authPolicy, roleAttributes, createdAt } = identity;
  return (
    <section className="card" aria-labelledby="account-identity">
      <h2 id="account-identity">Who you are</h2>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{name}</dd>
        {authenticators.updb && (
          <>
            <dt>User name</dt>
            <dd>{authenticators.updb.username}</dd>
          </>
        )}
        <dt>Type</dt>
        <dd>{type.name}</dd>
        {externalId && (
          <>
            <dt>External id</dt>
            <dd>{externalId}</dd>
          </>
        )}
        <dt>Auth policy</dt>
        <dd>{authPolicy.name}</dd>
        <dt>You may</dt>
        <dd>
          <Rights identity={identity} />
        </dd>
        {roleAttributes.length > 0 && (
          <>
            <dt>Role attributes</dt>
            <dd>{roleAttributes.join(', ')}</dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Timestamp at={createdAt} />
        </dd>
      </dl>
    </section>
  );
}

function Rights({ identity: { isAdmin, permissions } }: { readonly identity: IdentityDetail }) {
  if (isAdmin) return 'Do everything: you are an administrator';
  const words = permissionWords(permissions ?? []);
  if (words.length === 0) return 'Manage only this account, and use your services';
  return (
    <ul>
      {words.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
