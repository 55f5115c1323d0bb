import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { edge } from '../../session/edge.ts';
import type { PartProps } from './part-props.ts';

const most = 500;

/** Auth policies that accept every signer of JWTs while several are enabled. Nothing when there is none. */
export function OpenPoliciesPart({ interval }: PartProps) {
  const { data: policies } = useQuery({
    queryKey: ['list', 'management', 'authPolicies', 'every signer'],
    queryFn: async ({ signal }) => {
      const { data: signers } = await edge.management.externalJwtSigners.list(
        { filter: 'enabled = true', limit: 2 },
        { signal },
      );
      if (signers.length < 2) return [];
      const filter = 'primary.extJwt.allowed = true';
      const { data } = await edge.management.authPolicies.list({ filter, limit: most }, { signal });
      return data.filter(({ primary }) => primary.extJwt.allowedSigners.length === 0);
    },
    refetchInterval: interval,
  });
  if (!policies || policies.length === 0) return null;
  return (
    <section className="card" aria-labelledby="open-policies-title">
      <h2 id="open-policies-title">Auth policies that accept every signer</h2>
      <ul className="lines">
        {policies.map(({ id, name }) => (
          <li key={id}>
            <Link to="/entities/$resource/$id" params={{ resource: 'authPolicies', id }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
      <p className="soft">
        Several signers of JWTs are enabled, and each can sign in the people of another one. Name the signers of a
        policy in its allowed signers.
      </p>
    </section>
  );
}
