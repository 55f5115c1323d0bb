import { useQuery } from '@tanstack/react-query';
import { edge } from '../../session/edge.ts';
import { IdentityLink } from '../../ui/identity-link.tsx';
import type { PartProps } from './part-props.ts';

const shownIdentities = 8;

/** Who has rights and signs in with one factor. Nothing when there is nobody, or when the person may not see identities. */
export function AdministratorsPart({ interval }: PartProps) {
  const { data } = useQuery({
    queryKey: ['list', 'management', 'identities', 'one factor'],
    queryFn: async ({ signal }) => {
      const query = { lacksSecondFactor: 'true', sort: 'name', limit: shownIdentities } as const;
      const { data: identities, meta } = await edge.management.identities.list(query, { signal });
      return { identities, more: (meta.pagination?.totalCount ?? 0) - identities.length };
    },
    refetchInterval: interval,
  });
  if (!data || data.identities.length === 0) return null;
  return (
    <section className="card" aria-labelledby="one-factor-title">
      <h2 id="one-factor-title">Rights without a second factor</h2>
      <ul className="lines">
        {data.identities.map(({ id, name }) => (
          <li key={id}>
            <IdentityLink id={id} name={name} />
          </li>
        ))}
        {data.more > 0 && <li className="soft">and {data.more.toLocaleString()} more</li>}
      </ul>
      <p className="soft">
        Whoever learns the password or key of one of them has its rights. Let them enroll an authenticator app, or ask
        all of them for it with the setting <code>edge.admin.requireSecondFactor</code>.
      </p>
    </section>
  );
}
