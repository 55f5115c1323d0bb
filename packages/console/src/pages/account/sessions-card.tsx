import { isEdgeApiError } from '@edge-controller/sdk';
import { useEdge } from '@edge-controller/sdk/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { PlainTable } from '../../ui/plain-table.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

/** The newest are shown. */
const limit = 20;

interface SessionsCardProps {
  /** Id of the session of this page. */
  readonly sessionId: string | null;
  readonly identityId: string;
}

/** The sessions of the person: all of them for who may read sessions, else the one of this page. */
export function SessionsCard({ sessionId, identityId }: SessionsCardProps) {
  const edge = useEdge();
  const queries = useQueryClient();
  const queryKey = ['list', 'management', 'apiSessions', 'own', identityId];
  const sessions = useQuery({
    queryKey,
    async queryFn({ signal }) {
      const query = { filter: `identity = "${identityId}" sort by createdAt desc`, limit };
      const { apiSessions } = edge.management;
      const own = () => edge.client.currentApiSession.get({}, { signal });
      return apiSessions.list(query, { signal }).then(
        ({ data }) => data,
        async (error: unknown) => {
          if (!isEdgeApiError(error, 'UNAUTHORIZED')) throw error;
          return [await own()];
        },
      );
    },
  });
  const end = useMutation({
    mutationFn: (id: string) => edge.management.apiSessions.delete(id),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <section className="card wide" aria-labelledby="account-sessions">
      <h2 id="account-sessions">Where you are signed in</h2>
      <ErrorNotice error={end.error} />
      <QueryPart query={sessions} what="your sessions">
        {(rows) => (
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
        )}
      </QueryPart>
    </section>
  );
}
