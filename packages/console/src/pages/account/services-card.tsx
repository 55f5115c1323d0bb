import type { ServiceDetail } from '@edge-controller/sdk';
import { useEdge } from '@edge-controller/sdk/react';
import { useQuery } from '@tanstack/react-query';
import { PlainTable } from '../../ui/plain-table.tsx';
import { QueryPart } from '../../ui/query-part.tsx';

/** The first ones are shown. */
const limit = 50;

/** The services that policies give the person, and whether it may use them now. */
export function ServicesCard() {
  const edge = useEdge();
  const services = useQuery({
    queryKey: ['list', 'client', 'services'],
    queryFn: ({ signal }) => edge.client.services.list({ sort: 'name', limit }, { signal }),
  });
  return (
    <section className="card wide" aria-labelledby="account-services">
      <h2 id="account-services">Your services</h2>
      <QueryPart query={services} what="your services">
        {({ data, meta }) =>
          data.length === 0 ? (
            <p className="soft">No policy gives you a service.</p>
          ) : (
            <>
              <PlainTable label="Your services" columns={['Name', 'You may', 'Now']}>
                {data.map((service) => (
                  <Row key={service.id} service={service} />
                ))}
              </PlainTable>
              <More count={(meta.pagination?.totalCount ?? data.length) - data.length} />
            </>
          )
        }
      </QueryPart>
    </section>
  );
}

function Row({ service: { name, permissions, postureQueries } }: { readonly service: ServiceDetail }) {
  const open = permissions.filter((permission) => isOpen(permission, postureQueries));
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{permissions.map((permission) => acts[permission] ?? permission).join(', ')}</td>
      <td>
        {open.length === permissions.length ? (
          <span className="badge good">Allowed</span>
        ) : (
          <span className="badge warn">{failing(postureQueries)}</span>
        )}
      </td>
    </tr>
  );
}

const acts: Readonly<Record<string, string>> = { Dial: 'Use it', Bind: 'Host it' };

/** Whether a policy without a failing posture check gives the permission. */
function isOpen(permission: string, policies: ServiceDetail['postureQueries']): boolean {
  const giving = policies.filter(({ policyType }) => policyType === permission);
  return giving.length === 0 || giving.some(({ isPassing }) => isPassing);
}

/** `A posture check fails: OS, MFA`. */
function failing(policies: ServiceDetail['postureQueries']): string {
  const kinds = policies.flatMap(({ postureQueries }) =>
    postureQueries.filter(({ isPassing }) => !isPassing).map(({ queryType }) => queryType),
  );
  return `A posture check fails: ${[...new Set(kinds)].join(', ')}`;
}

function More({ count }: { readonly count: number }) {
  return count > 0 ? <p className="soft">and {count.toLocaleString()} more</p> : null;
}
