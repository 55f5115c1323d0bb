import { useEdge } from '@edge-controller/sdk/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';

/** The key of the query for the sessions of the person. */
export const ownSessionsKey = ['list', 'client', 'currentIdentityApiSessions'];

/** Ends all sessions of the person but the one of this page. */
export function EndOtherSessions() {
  const edge = useEdge();
  const queries = useQueryClient();
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => edge.client.currentIdentityApiSessions.endOthers(),
    onSettled: () => queries.invalidateQueries({ queryKey: ownSessionsKey }),
  });
  return (
    <>
      <ErrorNotice error={error} />
      {isSuccess ? (
        <Notice kind="good">You are signed out everywhere else.</Notice>
      ) : (
        <div className="row">
          <Button isDisabled={isPending} onPress={() => mutate()}>
            Sign out everywhere else
          </Button>
        </div>
      )}
    </>
  );
}
