import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { QueryPart } from '../../ui/query-part.tsx';
import type { Advice, DialPolicies, DialPolicy } from './read-access.ts';
import { maxCompared, postureChecksOf } from './read-access.ts';

interface PolicyBoxesProps {
  readonly policies: DialPolicies;
  readonly advice: Advice;
}

/** The policies between an identity and a service; without one, those that name one of them. */
export function PolicyBoxes({ policies: { both, ofIdentity, ofService, isCut }, advice }: PolicyBoxesProps) {
  const { identityName, serviceName } = advice;
  return (
    <>
      {both.map((policy) => (
        <div key={policy.id} className="box">
          <PolicyLink policy={policy} />
          <Checks policyId={policy.id} />
        </div>
      ))}
      {both.length === 0 && (
        <div className="box broken">
          <span>No policy of type Dial names both.</span>
          <Others text={`Policies of ${identityName}`} policies={ofIdentity} />
          <Others text={`Policies of ${serviceName}`} policies={ofService} />
        </div>
      )}
      {isCut && (
        <p className="soft">
          Only the first {maxCompared} policies of {identityName} were compared.
        </p>
      )}
    </>
  );
}

function Checks({ policyId }: { readonly policyId: string }) {
  return (
    <QueryPart query={useQuery(postureChecksOf(policyId))} what="posture checks">
      {({ checks, total }) =>
        total === 0 ? (
          <span className="soft">No posture check</span>
        ) : (
          <span>
            Posture checks:{' '}
            {checks.map(({ id, name, typeId }, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <Link to="/entities/$resource/$id" params={{ resource: 'postureChecks', id }}>
                  {name}
                </Link>{' '}
                ({typeId})
              </span>
            ))}
            {total > checks.length && ` and ${total - checks.length} more`}
          </span>
        )
      }
    </QueryPart>
  );
}

function Others({ text, policies }: { readonly text: string; readonly policies: readonly DialPolicy[] }) {
  return (
    <span className="soft">
      {text}: {policies.length === 0 && 'none'}
      {policies.map((policy, at) => (
        <span key={policy.id}>
          {at > 0 && ', '}
          <PolicyLink policy={policy} />
        </span>
      ))}
    </span>
  );
}

function PolicyLink({ policy: { id, name } }: { readonly policy: DialPolicy }) {
  return (
    <Link to="/entities/$resource/$id" params={{ resource: 'servicePolicies', id }}>
      {name}
    </Link>
  );
}
