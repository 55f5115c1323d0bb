import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../live/use-now.ts';
import { edge } from '../../session/edge.ts';
import { IdentityLink } from '../../ui/identity-link.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import type { PartProps } from './part-props.ts';

const shownSessions = 8;

/** Who is signed in, the last active ones first. */
export function SessionsPart({ interval }: PartProps) {
  const now = useNow(15_000);
  const sessions = useQuery({
    queryKey: ['list', 'management', 'apiSessions', 'active'],
    queryFn: async ({ signal }) =>
      (await edge.management.apiSessions.list({ sort: 'lastActivityAt desc', limit: shownSessions }, { signal })).data,
    refetchInterval: interval,
  });
  return (
    <section className="card" aria-labelledby="sessions-title">
      <div className="row spread">
        <h2 id="sessions-title">Signed in now</h2>
        <Link to="/api-sessions">All API sessions</Link>
      </div>
      <QueryPart query={sessions} what="API sessions">
        {(rows) => (
          <ul className="lines">
            {rows.map(({ id, identity, ipAddress, createdAt, lastActivityAt }) => (
              <li key={id}>
                <span className="row spread">
                  <strong>
                    <IdentityLink id={identity.id} name={identity.name} />
                  </strong>
                  <span className="soft">
                    active <Timestamp at={lastActivityAt} now={now} />
                  </span>
                </span>
                <span className="soft">
                  {ipAddress && `From ${ipAddress}, `}since <Timestamp at={createdAt} now={now} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </QueryPart>
    </section>
  );
}
