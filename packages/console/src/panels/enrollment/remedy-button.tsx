import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { edge } from '../../session/edge.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import type { Remedy } from './obstacles.ts';
import { defaultValidity, expiryAfter } from './validity.ts';

interface RemedyButtonProps {
  readonly remedy: Remedy;
  readonly identityId: string;
  /** Opens the form of a new enrollment. */
  readonly onEnroll: () => void;
}

/** Does what mends an obstacle. */
export function RemedyButton({ remedy, identityId, onEnroll }: RemedyButtonProps) {
  switch (remedy.kind) {
    case 'enroll':
      return <Button onPress={onEnroll}>New enrollment</Button>;
    case 'visit':
      return (
        <Link to="/entities/$resource/$id" params={{ resource: remedy.resource, id: remedy.id }}>
          {remedy.label}
        </Link>
      );
    case 'enable':
      return <CallButton label="Enable the identity" call={() => edge.management.identities.enable(identityId)} />;
    case 'refresh':
      return <RefreshButton enrollmentId={remedy.enrollmentId} />;
    case 'withdraw':
      return (
        <CallButton label="Withdraw this JWT" call={() => edge.management.enrollments.delete(remedy.enrollmentId)} />
      );
  }
}

/** Gives an enrollment a new JWT that is valid for a day. */
export function RefreshButton({ enrollmentId }: { readonly enrollmentId: string }) {
  const refresh = () => edge.management.enrollments.refresh(enrollmentId, { expiresAt: expiryAfter(defaultValidity) });
  return <CallButton label="New JWT, valid for 1 day" call={refresh} />;
}

interface CallButtonProps {
  readonly label: string;
  readonly call: () => Promise<unknown>;
}

function CallButton({ label, call }: CallButtonProps) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({ mutationFn: call, onSuccess: () => queries.invalidateQueries() });
  return (
    <>
      <Button isDisabled={isPending} onPress={() => mutate()}>
        {label}
      </Button>
      <ErrorNotice error={error} />
    </>
  );
}
