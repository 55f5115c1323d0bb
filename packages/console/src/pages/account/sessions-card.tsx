import { useEdge } from '@edge-controller/sdk/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { PlainTable } from '../../ui/plain-table.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { EndOtherSessions, ownSessionsKey } from './end-other-sessions.tsx';

/** The newest are shown. */
const limit = 20;

interface SessionsCardProps {
  /** Id of the session of this page. */
  readonly sessionId: string | null;
}

/** The sessions of the person. Each can be ended, and all others at once. */
export function SessionsCard({ sessionId }: SessionsCardProps) {
  const edge = useEdge();
  const queries = useQueryClient();
  const { currentIdentityApiSessions: own } = edge.client;
  const sessions = useQuery({
    queryKey: ownSessionsKey,
    queryFn: ({ signal }) => own.list({ sort: 'createdAt desc', limit }, { signal }),
  });
  const onSettled = () => queries.invalidateQueries({ queryKey: ownSessionsKey });
  const end = useMutation({ mutationFn: (id: string) => own.delete(id), onSettled });
  return (
    <section className="card wide" aria-labelledby="account-sessions">
      <h2 id="account-sessions">Where you are signed in</h2>
      <ErrorNotice error={end.error} />
      <QueryPart query={sessions} what="your sessions">
        {({ data: rows, meta }) => (
          <>
            <PlainTable label="Your sessions" columns={['Address', 'Since', 'Last used', 'Session']}>
              {rows.map(({ id, ipAddress, createdAt, lastActivityAt }) => (
                <tr key={id}>
                  <td>{ipAddress}</td>
                  <td>
                    <Timestamp at={createdAt} />
                  </td>
                  <td>
                    <Timestamp at={lastActivityAt} />
                  </td>
                  <td>
                    {id === sessionId ? (
                      <span className="badge good">This session</span>
                    ) : (
                      <Button
                        aria-label={`End the session from ${ipAddress}`}
                        isDisabled={end.isPending}
                        onPress={() => end.mutate(id)}
                      >
                        End
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </PlainTable>
            <More count={(meta.pagination?.totalCount ?? rows.length) - rows.length} />
            {rows.length > 1 && <EndOtherSessions />}
          </>
        )}
      </QueryPart>
    </section>
  );
}

function More({ count }: { readonly count: number }) {
  return count > 0 ? <p className="soft">and {count.toLocaleString()} more</p> : null;
}
