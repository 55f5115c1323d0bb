import { useNavigate, useSearch } from '@tanstack/react-router';
import { ReferenceBox } from '../../entities/form/reference-box.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { AccessPicture } from './access-picture.tsx';
import type { Pair } from './read-access.ts';
import { useAdvice } from './read-access.ts';
import { Verdict } from './verdict.tsx';
import './access.css';
import { PageHeading } from '../../ui/page-heading.tsx';

/** Who may dial a service, and why. */
export function AccessPage() {
  const { identity = '', service = '' } = useSearch({ from: '/access' });
  const navigate = useNavigate({ from: '/access' });

  function choose(next: { readonly identity: string; readonly service: string }): void {
    void navigate({
      search: { ...(next.identity && { identity: next.identity }), ...(next.service && { service: next.service }) },
    });
  }

  return (
    <>
      <PageHeading title="Who may dial" />
      <div className="card access-choice">
        <ReferenceBox
          api="management"
          label="Identity"
          to="identities"
          id={identity}
          onChange={(id) => choose({ identity: id, service })}
        />
        <ReferenceBox
          api="management"
          label="Service"
          to="services"
          id={service}
          onChange={(id) => choose({ identity, service: id })}
        />
      </div>
      {identity === '' || service === '' ? (
        <p className="soft">
          Choose an identity and a service to see whether the identity may dial the service, and why.
        </p>
      ) : (
        <Access key={`${identity} ${service}`} pair={{ identityId: identity, serviceId: service }} />
      )}
    </>
  );
}

function Access({ pair }: { readonly pair: Pair }) {
  const advice = useAdvice(pair);
  return (
    <QueryPart query={advice} what="the policy advice">
      {(data) => (
        <>
          <Verdict advice={data} pair={pair} />
          <AccessPicture advice={data} pair={pair} />
        </>
      )}
    </QueryPart>
  );
}
